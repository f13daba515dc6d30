// Launches of kernels.
#ifndef SHEAF_RUNTIME_CUDA_KERNEL_STEP_H
#define SHEAF_RUNTIME_CUDA_KERNEL_STEP_H

#include "runtime/core/device.h"
#include "runtime/cuda/cudart.h"

namespace sheaf::rt::cuda {

/// A step that launches a kernel whose parameters are its buffers, ins, then outs.
Result<std::unique_ptr<Step>> makeKernelStep(cudaKernel_t kernel, const KernelSite &site,
                                             cudaStream_t queue);

/// Launches `kernel`, whose parameters are those given, in one dim. `grid` must not be 0.
template <typename... Parameters>
Status launch(cudaKernel_t kernel, unsigned grid, unsigned blockThreads, cudaStream_t queue,
              Parameters... parameters) {
  void *pointers[] = {&parameters...};
  cudaError_t error =
      cudart().cudaLaunchKernel(reinterpret_cast<const void *>(kernel), dim3{grid, 1, 1},
                                dim3{blockThreads, 1, 1}, pointers, 0, queue);
  return statusOf(error, "cudaLaunchKernel");
}

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNEL_STEP_H
