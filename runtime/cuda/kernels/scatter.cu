// Puts updates onto elements chosen by indices. Updates of one element are applied one after the other, in their order:
// they are sorted by where they go, and the thread that finds the first of them walks over all.
#include "runtime/cuda/kernels/arithmetic.h"
#include "runtime/cuda/kernels/nd_index.h"
#include "runtime/cuda/kernels/sort_lanes.h"

using namespace sheaf::rt::cuda;

namespace {

template <typename T> DEVICE T combine(ScatterKind kind, T old, T update) {
  switch (kind) {
  case ScatterKind::set:
    break;
  case ScatterKind::add:
    return wrappingAdd(old, update);
  case ScatterKind::multiply:
    return wrappingMultiply(old, update);
  case ScatterKind::maximum:
    return isNan(old) || old > update ? old : update;
  case ScatterKind::minimum:
    return isNan(old) || old < update ? old : update;
  }
  return update;
}

template <typename T>
DEVICE void combineAll(const SortLanes &lanes, const CombineParameters &p, const SortEntry *entries,
                       const char *updates, char *out) {
  forEach(lanes.numLanes * lanes.extent * p.slice, [&](int64_t i) {
    int64_t element = i % p.slice, update = i / p.slice;
    int64_t lane = update / lanes.extent, at = update % lanes.extent;
    const SortEntry *sorted = entries + lane * lanes.padded;
    uint64_t key = sorted[at].key;
    if (key == lastKey || (at > 0 && sorted[at - 1].key == key))
      return;
    Offsets<2> offsets = offsetsOf(p.space, (lanes.firstLane + lane) * p.slice + element);
    T *to = reinterpret_cast<T *>(out + offsets.at[0] + static_cast<int64_t>(key) * p.placeStep);
    T value = *to;
    for (; at < lanes.extent && sorted[at].key == key; ++at)
      value = combine(
          p.kind, value,
          *reinterpret_cast<const T *>(updates + offsets.at[1] + sorted[at].place * p.updateStep));
    *to = value;
  });
}

} // namespace

/// Keys are places along the dim; `space` is of the indices, without the dim.
KERNEL void element_targets(SortLanes lanes, Strided<1> space, int64_t step,
                            ElementIndexParameters p, const char *indices, SortEntry *entries) {
  forEachEntry(lanes, entries, [&](int64_t lane, int64_t place) {
    const char *at = indices + offsetsOf(space, lane).at[0] + place * step;
    auto value = static_cast<int64_t>(readInteger(p.index, at, 0));
    return static_cast<uint64_t>(wrapIndex(value, p.extent, p.bound, p.fault));
  });
}

/// Keys are bytes of out, of the one lane of all tuples.
KERNEL void slice_targets(SortLanes lanes, NdIndexParameters p, const char *indices,
                          SortEntry *entries) {
  forEachEntry(lanes, entries, [&](int64_t, int64_t tuple) {
    return static_cast<uint64_t>(sliceOf(p, indices, tuple));
  });
}

#define COMBINE(name, T)                                                                           \
  KERNEL void combine_##name(SortLanes lanes, CombineParameters p, const SortEntry *entries,       \
                             const char *updates, char *out) {                                     \
    combineAll<T>(lanes, p, entries, updates, out);                                                \
  }
SHEAF_FOR_ARITHMETIC(COMBINE)
