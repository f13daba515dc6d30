// Attention as a step of the library.
#ifndef SHEAF_RUNTIME_CUDA_ATTENTION_LIBRARY_STEP_H
#define SHEAF_RUNTIME_CUDA_ATTENTION_LIBRARY_STEP_H

#include "runtime/core/attention_plan.h"
#include "runtime/cuda/registry.h"

namespace sheaf::rt::cuda {

/// A step by cuDNN for the `attention` at `site`. Null when cuDNN is missing or not the one to compute it.
BoundStep bindLibraryAttention(CudaCallSite &site, const AttentionPlan &plan);

/// The same for an `attention_gradient`.
BoundStep bindLibraryAttention(CudaCallSite &site, const AttentionGradientPlan &plan);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_ATTENTION_LIBRARY_STEP_H
