// Kernels of kernels/ that share elements among threads, ready to launch.
#ifndef SHEAF_RUNTIME_CUDA_ELEMENTWISE_H
#define SHEAF_RUNTIME_CUDA_ELEMENTWISE_H

#include "runtime/cuda/kernel_step.h"
#include "runtime/cuda/registry.h"
#include "runtime/cuda/strided_space.h"

namespace sheaf::rt::cuda {

/// A kernel that works on a number of elements, in the stream of the call that it was found for.
class Elementwise {
public:
  /// The kernel `name` of the file `file`.
  static Result<Elementwise> find(CudaCallSite &site, const std::string &file,
                                  const std::string &name, int64_t count) {
    Result<cudaKernel_t> kernel = site.device.embeddedKernel(file, name);
    if (!kernel.isOk())
      return kernel.takeStatus();
    return Elementwise(*kernel, gridFor(count, site.device.numMultiprocessors()), site.queue);
  }

  /// Puts a launch with these parameters into the stream; nothing when there are no elements.
  template <typename... Parameters> Status operator()(Parameters... parameters) const {
    return grid == 0 ? Status() : launch(kernel, grid, threadsPerBlock, queue, parameters...);
  }

private:
  Elementwise(cudaKernel_t kernel, unsigned grid, cudaStream_t queue)
      : kernel(kernel), grid(grid), queue(queue) {}

  cudaKernel_t kernel;
  unsigned grid;
  cudaStream_t queue;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_ELEMENTWISE_H
