// What the host gives to the kernels of `resize`.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_RESIZE_PARAMETERS_H
#define SHEAF_RUNTIME_CUDA_KERNELS_RESIZE_PARAMETERS_H

#include "runtime/cuda/kernels/parameters.h"

namespace sheaf::rt::cuda {

/// A dim of the result, and where its table begins in the lists of all.
struct ResizeDim {
  int64_t extent, step;  ///< of the result; bytes
  int64_t elementsBelow; ///< results per place: the product of the extents of the dims after
  int64_t taps,
      tapsBefore; ///< of a result along this dim, and the product of those of the dims before
  int64_t firstTap, firstResult; ///< entries of the lists
};

struct ResizeParameters {
  int64_t count, rowTaps; ///< results, and taps of a result without those of the last dim
  int32_t rank;
  ResizeDim dims[maxDims];
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_RESIZE_PARAMETERS_H
