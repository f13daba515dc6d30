// Launches generated kernels.
#include "runtime/cuda/kernel_step.h"

namespace sheaf::rt::cuda {
namespace {

class KernelStep final : public Step {
public:
  KernelStep(cudaKernel_t kernel, const KernelSite &site, cudaStream_t queue)
      : kernel(kernel), grid(site.grid), blockThreads(site.blockThreads),
        sharedBytes(site.sharedBytes), queue(queue), parameters(site.numBuffers) {}

  Status run(void *const *buffers, std::byte *) override {
    if (grid == 0)
      return {};
    for (size_t i = 0; i < parameters.size(); ++i)
      parameters[i] = const_cast<void **>(buffers + i); // A parameter is given by its address.
    cudaError_t error =
        cudart().cudaLaunchKernel(reinterpret_cast<const void *>(kernel), dim3{grid, 1, 1},
                                  dim3{blockThreads, 1, 1}, parameters.data(), sharedBytes, queue);
    return statusOf(error, "cudaLaunchKernel");
  }

private:
  cudaKernel_t kernel;
  unsigned grid, blockThreads;
  size_t sharedBytes;
  cudaStream_t queue;
  std::vector<void *> parameters;
};

/// Whether the kernel's parameters are so many pointers. cudaLaunchKernel takes no count: it reads as many as the
/// kernel has, whatever it is given.
///
/// Source: cuda_runtime_api.h on cudaFuncGetParamInfo: the index must be less than the number of parameters, else
/// cudaErrorInvalidValue; it takes kernels of libraries too.
Status checkParameters(cudaKernel_t kernel, size_t numBuffers) {
  for (size_t i = 0;; ++i) {
    size_t offset = 0, bytes = 0;
    cudaError_t error =
        cudart().cudaFuncGetParamInfo(reinterpret_cast<const void *>(kernel), i, &offset, &bytes);
    if (error == cudaErrorInvalidValue) {
      cudart().cudaGetLastError(); // Else a later call would report it.
      return i == numBuffers
                 ? Status()
                 : Status::invalid("its kernel has ", i, " parameters; it is given ", numBuffers);
    }
    if (Status status = statusOf(error, "cudaFuncGetParamInfo"); !status.isOk())
      return status;
    if (i == numBuffers)
      return Status::invalid("its kernel has more than the ", numBuffers,
                             " parameters that it is given");
    if (bytes != sizeof(void *))
      return Status::invalid("parameter ", i, " of its kernel has ", bytes,
                             " bytes, which is no pointer");
  }
}

} // namespace

Result<std::unique_ptr<Step>> makeKernelStep(cudaKernel_t kernel, const KernelSite &site,
                                             cudaStream_t queue) {
  constexpr uint32_t maxThreads = 1024;
  if (site.blockThreads == 0 || site.blockThreads > maxThreads)
    return Status::invalid("a launch of ", site.grid, " blocks of ", site.blockThreads,
                           " threads is not possible");
  if (Status status = checkParameters(kernel, site.numBuffers); !status.isOk())
    return status;
  constexpr uint32_t plainSharedBytes = 48 << 10; // More must be asked for.
  if (site.sharedBytes > plainSharedBytes) {
    cudaError_t error = cudart().cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                                      cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                      static_cast<int>(site.sharedBytes));
    if (Status status = statusOf(error, "cudaFuncSetAttribute"); !status.isOk())
      return std::move(status).annotated(site.sharedBytes, " bytes of shared memory");
  }
  return std::unique_ptr<Step>(new KernelStep(kernel, site, queue));
}

} // namespace sheaf::rt::cuda
