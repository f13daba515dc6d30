// Makes the entries that lanes are sorted by.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_SORT_LANES_H
#define SHEAF_RUNTIME_CUDA_KERNELS_SORT_LANES_H

#include "runtime/cuda/kernels/integer.h"
#include "runtime/cuda/kernels/sort_entry.h"
#include "runtime/cuda/kernels/strided.h"

namespace sheaf::rt::cuda {

/// Writes all entries; `keyOf(lane, place)` gives the key of an element.
template <typename KeyOf>
DEVICE void forEachEntry(const SortLanes &lanes, SortEntry *entries, const KeyOf &keyOf) {
  forEach(lanes.numEntries, [&](int64_t i) {
    int64_t lane = i / lanes.padded, place = i % lanes.padded;
    bool isElement = lane < lanes.numLanes && place < lanes.extent;
    entries[i] = {isElement ? keyOf(lanes.firstLane + lane, place) : lastKey, place};
  });
}

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_SORT_LANES_H
