// Indices that come from data: wrapped when negative, noted when out of range.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_INDEX_H
#define SHEAF_RUNTIME_CUDA_KERNELS_INDEX_H

#include "runtime/cuda/kernels/integer.h"

namespace sheaf::rt::cuda {

/// The index that `value` stands for, or -1 when there is none: then `fault` names it, and `bound` as its extent.
DEVICE int64_t wrapIndex(int64_t value, int64_t extent, int64_t bound, IndexFault *fault) {
  int64_t index = value < 0 ? value + extent : value;
  if (index >= 0 && index < extent)
    return index;
  // Any one of several will do.
  if (__atomic_exchange_n(&fault->isSet, 1, __ATOMIC_RELAXED) == 0) {
    fault->index = value;
    fault->bound = bound;
  }
  return -1;
}

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_INDEX_H
