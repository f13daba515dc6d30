// Sorts lanes by keys: integers that are in the order of the elements, whatever their type.
#include "runtime/host/lane_sort.h"

#include "runtime/core/element.h"
#include "runtime/host/lanes.h"
#include "runtime/host/registry.h"

#include <algorithm>
#include <atomic>
#include <bit>

namespace sheaf::rt::host {
namespace {

/// An integer that is less than another's exactly where the value is: NaN is the largest, zeros are equal.
template <typename T> uint64_t keyOf(T value) {
  if constexpr (isFloatElement<T>) {
    if (isNan(value))
      return UINT64_MAX;
    // Exact for all floats. Adding zero makes the negative one positive.
    auto bits = std::bit_cast<uint64_t>(static_cast<double>(static_cast<Wide<T>>(value)) + 0.0);
    constexpr uint64_t sign = uint64_t(1) << 63;
    return bits & sign ? ~bits : bits | sign;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<uint64_t>(static_cast<int64_t>(value)) ^ uint64_t(1) << 63;
  } else {
    return value;
  }
}

/// An element by its key and its place; the place decides between equals, so an unstable sort keeps their order.
struct Entry {
  uint64_t key;
  int64_t index;
  bool operator<(const Entry &other) const {
    return key != other.key ? key < other.key : index < other.index;
  }
};

void sortFirst(Entry *entries, int64_t extent, int64_t kept) {
  if (kept < extent)
    std::partial_sort(entries, entries + kept, entries + extent);
  else
    std::sort(entries, entries + extent);
}

/// Makes the entries of a lane whose elements are `stride` apart; the keys are flipped by `flip`.
using ReadLane = void (*)(const void *lane, int64_t stride, int64_t extent, uint64_t flip,
                          Entry *entries);
template <typename T>
void readLane(const void *lane, int64_t stride, int64_t extent, uint64_t flip, Entry *entries) {
  for (int64_t i = 0; i < extent; ++i)
    entries[i] = {keyOf(static_cast<const T *>(lane)[i * stride]) ^ flip, i};
}

/// Writes the elements that the entries name.
using WriteValues = void (*)(const void *lane, int64_t stride, const Entry *entries, int64_t count,
                             void *values, int64_t valueStride);
template <typename T>
void writeValues(const void *lane, int64_t stride, const Entry *entries, int64_t count,
                 void *values, int64_t valueStride) {
  for (int64_t i = 0; i < count; ++i)
    static_cast<T *>(values)[i * valueStride] =
        static_cast<const T *>(lane)[entries[i].index * stride];
}

struct LaneSort {
  Lanes<3> lanes;
  bool isDescending;
  bool hasWideIndices;
  ReadLane read;
  WriteValues write;

  /// The buffers are the in, the values and the indices.
  void run(void *const *buffers, std::byte *scratch) const {
    std::atomic<int> nextSlot = 0;
    int64_t extent = lanes.extent(0), kept = lanes.extent(1);
    lanes.forEachChunk(extent * 64, [&](auto &&forEachLane) {
      Entry *entries = reinterpret_cast<Entry *>(scratch) + nextSlot.fetch_add(1) * extent;
      forEachLane([&](const std::array<int64_t, 3> &offsets) {
        const void *lane = at<std::byte>(buffers[0], offsets[0]);
        read(lane, lanes.stride(0), extent, isDescending ? UINT64_MAX : 0, entries);
        sortFirst(entries, extent, kept);
        write(lane, lanes.stride(0), entries, kept, at<std::byte>(buffers[1], offsets[1]),
              lanes.stride(1));
        for (int64_t i = 0; i < kept; ++i) {
          if (hasWideIndices)
            at<int64_t>(buffers[2], offsets[2])[i * lanes.stride(2)] = entries[i].index;
          else
            at<int32_t>(buffers[2], offsets[2])[i * lanes.stride(2)] =
                static_cast<int32_t>(entries[i].index);
        }
      });
    });
  }
};

} // namespace

BoundStep bindLaneSort(const CallSite &site, const SortPlan &plan) {
  const BufferShape &in = site.ins[0].shape, &values = site.outs[0].shape,
                    &indices = site.outs[1].shape;
  if (values.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  return visitArithmetic<BoundStep>(in.type, [&](auto tag) -> BoundStep {
    using T = typename decltype(tag)::Type;
    LaneSort sort{Lanes<3>({&in, &values, &indices}, plan.dim), plan.isDescending,
                  indices.type == abi::ElementType::i64, readLane<T>, writeValues<T>};
    size_t scratchBytes = static_cast<size_t>(in.dims[plan.dim]) * sizeof(Entry) *
                          static_cast<size_t>(site.numThreads);
    return makeStep(
        [sort](void *const *buffers, std::byte *scratch) { sort.run(buffers, scratch); },
        scratchBytes);
  });
}

} // namespace sheaf::rt::host
