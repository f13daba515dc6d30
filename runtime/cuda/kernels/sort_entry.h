// What sorts of lanes work on: entries in memory, which kernels of sort.cu order.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_SORT_ENTRY_H
#define SHEAF_RUNTIME_CUDA_KERNELS_SORT_ENTRY_H

#include "runtime/cuda/kernels/parameters.h"

namespace sheaf::rt::cuda {

/// An element by its key and its place in the lane; the place decides between equals, so their order is kept.
struct alignas(16) SortEntry {
  uint64_t key;
  int64_t place;
};

/// Of entries that fill up a lane, and of those to be left out: behind all others of their key by their places.
inline constexpr uint64_t lastKey = UINT64_MAX;

/// Entries that a block sorts in its own memory.
inline constexpr int64_t sortTile = 1024;

/// Some lanes of a tensor in entries: `extent` of `padded` (a power of 2) entries of each are elements.
struct SortLanes {
  int64_t firstLane, numLanes;
  int64_t extent, padded;
  int64_t numEntries; ///< of all lanes, filled up to a multiple of `sortTile`
};

/// Where sorted elements go: the first `kept` of a lane; steps in bytes.
struct SortOutputs {
  int64_t kept;
  int64_t inStep, valueStep, indexStep;
  IntegerType index;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_SORT_ENTRY_H
