// Tuples of indices as parameters of kernels.
#ifndef SHEAF_RUNTIME_CUDA_ND_INDEX_H
#define SHEAF_RUNTIME_CUDA_ND_INDEX_H

#include "runtime/core/nd_indexing.h"
#include "runtime/cuda/index_step.h"
#include "runtime/cuda/kernels/element_index_parameters.h"

namespace sheaf::rt::cuda {

/// `indexing` of data with elements of `elementBytes`, by `indices`. Errors: they are no indices.
inline Result<NdIndexParameters> toParameter(CudaCallSite &site, const NdIndexing &indexing,
                                             const BufferShape &indices, int64_t elementBytes) {
  Result<IndexReader> index = IndexReader::make(site, indices);
  if (!index.isOk())
    return index.takeStatus();
  NdIndexParameters result{.tuplesPerBatch = indexing.tuplesPerBatch,
                           .batchBytes = indexing.batchElements * elementBytes,
                           .depth = static_cast<int32_t>(indexing.bounds.size()),
                           .extents = {},
                           .strides = {},
                           .bounds = {},
                           .index = index->type,
                           .fault = index->fault};
  for (size_t i = 0; i < indexing.bounds.size(); ++i) {
    result.extents[i] = indexing.bounds[i];
    result.strides[i] = indexing.strides[i] * elementBytes;
    result.bounds[i] = i < indexing.whole.size() ? indexing.whole[i] : indexing.bounds[i];
  }
  return result;
}

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_ND_INDEX_H
