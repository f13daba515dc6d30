// What the host gives to the kernels of arg_reduce and cumulative.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_LANE_PARAMETERS_H
#define SHEAF_RUNTIME_CUDA_KERNELS_LANE_PARAMETERS_H

#include "runtime/cuda/kernels/parameters.h"

namespace sheaf::rt::cuda {

/// Lanes of `extent` elements; steps in bytes.
struct ArgReduceParameters {
  Strided<2> lanes; ///< of in and out
  int64_t extent, step;
  bool isMax, isLast;
  IntegerType index;
};

struct CumulativeParameters {
  Strided<2> lanes; ///< of in and out
  int64_t extent, inStep, outStep;
  bool isSum, isExclusive, isReverse;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_LANE_PARAMETERS_H
