// Tuples of indices into the leading dims of a tensor, as gather_nd and scatter_nd take them.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_ND_INDEX_H
#define SHEAF_RUNTIME_CUDA_KERNELS_ND_INDEX_H

#include "runtime/cuda/kernels/element_index_parameters.h"
#include "runtime/cuda/kernels/index.h"

namespace sheaf::rt::cuda {

/// The byte of data where the slice of tuple number `tuple` begins, or -1 when an index is out of range.
DEVICE int64_t sliceOf(const NdIndexParameters &p, const char *indices, int64_t tuple) {
  int64_t offset = tuple / p.tuplesPerBatch * p.batchBytes;
  for (int32_t i = 0; i < p.depth; ++i) {
    auto value = static_cast<int64_t>(readInteger(p.index, indices, tuple * p.depth + i));
    int64_t index = wrapIndex(value, p.extents[i], p.bounds[i], p.fault);
    if (index < 0)
      return -1;
    offset += index * p.strides[i];
  }
  return offset;
}

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_ND_INDEX_H
