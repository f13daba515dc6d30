// Chooses how to copy between strided buffers.
#include "runtime/cuda/strided_copy.h"

#include "runtime/cuda/elementwise.h"

namespace sheaf::rt::cuda {

Result<StridedCopy> makeStridedCopy(CudaCallSite &site, const BufferShape &in,
                                    const BufferShape &out) {
  int64_t elementBytes = in.elementBytes();
  Strided<2> space = toParameter(stridedSpace<2>({&in, &out}));
  bool isOneRun = space.numDims == 0 || (space.numDims == 1 && space.steps[0][0] == elementBytes &&
                                         space.steps[0][1] == elementBytes);
  if (isOneRun)
    return StridedCopy([bytes = static_cast<size_t>(space.count * elementBytes),
                        queue = site.queue](const void *from, void *to) -> Status {
      if (bytes == 0)
        return {};
      cudaError_t error =
          cudart().cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, queue);
      return statusOf(error, "cudaMemcpyAsync");
    });
  Result<Elementwise> kernel =
      Elementwise::find(site, "copy", "copy" + std::to_string(elementBytes), space.count);
  if (!kernel.isOk())
    return kernel.takeStatus();
  return StridedCopy([kernel = *kernel, space](const void *from, void *to) -> Status {
    return kernel(space, from, to);
  });
}

} // namespace sheaf::rt::cuda
