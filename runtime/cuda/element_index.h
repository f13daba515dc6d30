// Indices into one dim as parameters of kernels.
#ifndef SHEAF_RUNTIME_CUDA_ELEMENT_INDEX_H
#define SHEAF_RUNTIME_CUDA_ELEMENT_INDEX_H

#include "runtime/core/element_index_plan.h"
#include "runtime/cuda/index_step.h"
#include "runtime/cuda/kernels/element_index_parameters.h"

namespace sheaf::rt::cuda {

/// `plan` with the indices `indices`. Errors: they are no indices.
inline Result<ElementIndexParameters> toParameter(CudaCallSite &site, const ElementIndexPlan &plan,
                                                  const BufferShape &indices) {
  Result<IndexReader> index = IndexReader::make(site, indices);
  if (!index.isOk())
    return index.takeStatus();
  return ElementIndexParameters{plan.indexed.dims[plan.dim],
                                plan.indexed.strides[plan.dim] * plan.indexed.elementBytes(),
                                plan.bound(), index->type, index->fault};
}

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_ELEMENT_INDEX_H
