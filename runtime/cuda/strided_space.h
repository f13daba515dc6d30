// Strided buffers as parameters of kernels.
#ifndef SHEAF_RUNTIME_CUDA_STRIDED_SPACE_H
#define SHEAF_RUNTIME_CUDA_STRIDED_SPACE_H

#include "runtime/core/strided.h"
#include "runtime/cuda/kernels/parameters.h"

namespace sheaf::rt::cuda {

/// `space` for a kernel, with dims that one step walks merged.
template <size_t N> Strided<static_cast<int>(N)> toParameter(StridedSpace<N> space) {
  space.merge();
  Strided<static_cast<int>(N)> result{};
  result.count = space.count();
  for (const auto &dim : space.dims) {
    result.extents[result.numDims] = dim.extent;
    for (size_t i = 0; i < N; ++i)
      result.steps[result.numDims][i] = dim.steps[i];
    ++result.numDims;
  }
  return result;
}

/// Of the kernels that share elements among threads.
inline constexpr unsigned threadsPerBlock = 256;

/// The blocks that work on `count` elements on a GPU: enough to fill it, each with several elements per thread.
inline unsigned gridFor(int64_t count, int numMultiprocessors) {
  constexpr int64_t blocksPerMultiprocessor = 16;
  int64_t blocks = (count + threadsPerBlock - 1) / threadsPerBlock;
  return static_cast<unsigned>(std::min(blocks, blocksPerMultiprocessor * numMultiprocessors));
}

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_STRIDED_SPACE_H
