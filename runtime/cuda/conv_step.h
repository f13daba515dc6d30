// Convolutions as steps: by the library, or by kernels of our own.
#ifndef SHEAF_RUNTIME_CUDA_CONV_STEP_H
#define SHEAF_RUNTIME_CUDA_CONV_STEP_H

#include "runtime/core/conv_plan.h"
#include "runtime/cuda/library_convolution.h"
#include "runtime/cuda/registry.h"

namespace sheaf::rt::cuda {

/// A step by cuDNN for the call at `site`, whose ins and out are the tensors of `plan` in the order of the call that
/// wants `wanted`. Null when cuDNN is missing or has no way to compute it.
BoundStep bindLibraryConv(CudaCallSite &site, const ConvPlan &plan, ConvWanted wanted);

/// A step of our own for `conv` and `conv_transpose`. Errors: types that don't go together.
BoundStep bindConvKernel(CudaCallSite &site, const ConvPlan &plan, const ConvBuffers &buffers);

/// A step of our own for `conv_filter_gradient`.
BoundStep bindFilterGradientKernel(CudaCallSite &site, const ConvPlan &plan);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_CONV_STEP_H
