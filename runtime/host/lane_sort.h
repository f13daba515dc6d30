// Sorts lanes and keeps the places their elements came from.
#ifndef SHEAF_RUNTIME_HOST_LANE_SORT_H
#define SHEAF_RUNTIME_HOST_LANE_SORT_H

#include "runtime/host/element.h"
#include "runtime/host/lanes.h"
#include "runtime/host/registry.h"

#include <algorithm>
#include <atomic>

namespace sheaf::rt::host {

/// A total order in which NaN is the largest.
template <typename T> bool isLess(T a, T b) {
  if constexpr (isFloatElement<T>)
    if (isNan(a) || isNan(b))
      return !isNan(a);
  return a < b;
}

/// Writes the first elements of each sorted lane, and their indices; as many as the outs hold. Equal elements stay in
/// order. The buffers are the in, the values and the indices.
template <typename T, typename Index> class LaneSort {
public:
  LaneSort(const Lanes<3> &lanes, bool isDescending) : lanes(lanes), isDescending(isDescending) {}

  /// Bytes that `run` needs, for as many threads.
  static size_t scratchBytes(int64_t extent, int threads) {
    return static_cast<size_t>(extent) * sizeof(Entry) * static_cast<size_t>(threads);
  }

  void run(void *const *buffers, std::byte *scratch, std::atomic<int> &nextSlot) const {
    int64_t extent = lanes.extent(0), kept = lanes.extent(1);
    lanes.forEachChunk(extent * 64, [&](auto &&forEachLane) {
      Entry *entries = reinterpret_cast<Entry *>(scratch) + nextSlot.fetch_add(1) * extent;
      forEachLane([&](const std::array<int64_t, 3> &offsets) {
        const T *from = at<T>(buffers[0], offsets[0]);
        for (int64_t i = 0; i < extent; ++i)
          entries[i] = {from[i * lanes.stride(0)], static_cast<Index>(i)};
        sortFirst(entries, extent, kept);
        T *values = at<T>(buffers[1], offsets[1]);
        Index *indices = at<Index>(buffers[2], offsets[2]);
        for (int64_t i = 0; i < kept; ++i) {
          values[i * lanes.stride(1)] = entries[i].value;
          indices[i * lanes.stride(2)] = entries[i].index;
        }
      });
    });
  }

private:
  struct Entry {
    T value;
    Index index;
  };

  /// The index decides between equals, so an unstable sort keeps their order.
  void sortFirst(Entry *entries, int64_t extent, int64_t kept) const {
    auto isBefore = [this](const Entry &a, const Entry &b) {
      bool isALess = isLess(a.value, b.value), isBLess = isLess(b.value, a.value);
      if (isALess != isBLess)
        return isDescending ? isBLess : isALess;
      return a.index < b.index;
    };
    if (kept < extent)
      std::partial_sort(entries, entries + kept, entries + extent, isBefore);
    else
      std::sort(entries, entries + extent, isBefore);
  }

  Lanes<3> lanes;
  bool isDescending;
};

/// The step of `sort` and `topk`.
inline BoundStep bindLaneSort(const CallSite &site, int64_t dim, bool isDescending) {
  const BufferShape &in = site.ins[0].shape, &values = site.outs[0].shape,
                    &indices = site.outs[1].shape;
  return visitArithmetic(in.type, [&](auto tag) -> BoundStep {
    using T = typename decltype(tag)::Type;
    return visitIndex(indices.type, [&](auto indexTag) -> BoundStep {
      using Index = typename decltype(indexTag)::Type;
      if (values.elements() == 0)
        return makeStep([](void *const *, std::byte *) {});
      LaneSort<T, Index> sort(Lanes<3>({&in, &values, &indices}, dim), isDescending);
      return makeStep(
          [sort](void *const *buffers, std::byte *scratch) {
            std::atomic<int> nextSlot = 0;
            sort.run(buffers, scratch, nextSlot);
          },
          sort.scratchBytes(in.dims[dim], site.numThreads));
    });
  });
}

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_LANE_SORT_H
