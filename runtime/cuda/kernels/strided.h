// Walks several strided buffers side by side.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_STRIDED_H
#define SHEAF_RUNTIME_CUDA_KERNELS_STRIDED_H

#include "runtime/cuda/kernels/device.h"
#include "runtime/cuda/kernels/parameters.h"

namespace sheaf::rt::cuda {

/// Byte offsets into N buffers.
template <int N> struct Offsets {
  int64_t at[N];
};

/// Those of the row-major index `index`; `Index` is wide enough for all of them.
template <typename Index, int N> DEVICE Offsets<N> offsetsOf(const Strided<N> &space, Index index) {
  Offsets<N> offsets{};
  for (int dim = space.numDims - 1; dim >= 0; --dim) {
    auto extent = static_cast<Index>(space.extents[dim]);
    Index rest = index / extent;
    auto place = static_cast<int64_t>(index - rest * extent);
    index = rest;
    for (int i = 0; i < N; ++i)
      offsets.at[i] += place * space.steps[dim][i];
  }
  return offsets;
}

/// The same; divisions of 32 bits are several times faster.
template <int N> DEVICE Offsets<N> offsetsOf(const Strided<N> &space, int64_t index) {
  return space.count <= UINT32_MAX ? offsetsOf<uint32_t>(space, static_cast<uint32_t>(index))
                                   : offsetsOf<uint64_t>(space, static_cast<uint64_t>(index));
}

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_STRIDED_H
