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

} // namespace

Result<std::unique_ptr<Step>> makeKernelStep(cudaKernel_t kernel, const KernelSite &site,
                                             cudaStream_t queue) {
  constexpr uint32_t maxThreads = 1024;
  if (site.blockThreads == 0 || site.blockThreads > maxThreads)
    return Status::invalid("a launch of ", site.grid, " blocks of ", site.blockThreads,
                           " threads is not possible");
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
