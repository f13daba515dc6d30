// What the host gives to the kernels of gathers and scatters of elements and of slices.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_ELEMENT_INDEX_PARAMETERS_H
#define SHEAF_RUNTIME_CUDA_KERNELS_ELEMENT_INDEX_PARAMETERS_H

#include "runtime/cuda/kernels/parameters.h"

namespace sheaf::rt::cuda {

/// As runtime/core/nd_indexing.h has it; strides in bytes.
struct NdIndexParameters {
  int64_t tuplesPerBatch, batchBytes;
  int32_t depth;
  int64_t extents[maxDims], strides[maxDims];
  int64_t bounds[maxDims]; ///< that a fault names
  IntegerType index;
  IndexFault *fault;
};

/// Indices into one dim.
struct ElementIndexParameters {
  int64_t extent, step; ///< of what is indexed, along the dim; bytes
  int64_t bound;        ///< that a fault names
  IntegerType index;
  IndexFault *fault;
};

/// As runtime/core/scatter_rule.h has them.
enum class ScatterKind : int32_t { set, add, multiply, maximum, minimum };

/// Puts updates, sorted by where they go, onto the elements of out.
struct CombineParameters {
  Strided<2> space; ///< of out and updates: all lanes, or the elements of a slice
  int64_t slice;    ///< elements that one update has
  int64_t placeStep,
      updateStep; ///< bytes from one key of out, and from one update of a lane, to the next
  ScatterKind kind;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_ELEMENT_INDEX_PARAMETERS_H
