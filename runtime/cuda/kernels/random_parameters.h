// What the host gives to the kernel of `random`.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_RANDOM_PARAMETERS_H
#define SHEAF_RUNTIME_CUDA_KERNELS_RANDOM_PARAMETERS_H

#include "runtime/core/distribution.h"
#include "runtime/core/element_format.h"
#include "runtime/core/philox.h"
#include "runtime/cuda/kernels/parameters.h"

namespace sheaf::rt::cuda {

/// Row r of the result, of `extent` elements, is that many elements of the whole value from
/// first + (place r of `rows`) on.
struct RandomParameters {
  Strided<1> rows; ///< with elements of the whole value for bytes
  int64_t extent;
  int64_t first;
  RandomStream stream;
  Distribution distribution;
  ElementFormat type;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_RANDOM_PARAMETERS_H
