// What builds without the CUDA toolkit say of GPUs.
#include "runtime/cuda/open_device.h"

namespace sheaf::rt::cuda {

Status checkUsable() {
  return Status::invalid("no usable GPU: this program was built without the CUDA toolkit; build it "
                         "again where cuda_runtime_api.h and cublasLt.h are");
}

Result<std::unique_ptr<Device>> openDevice(int) { return checkUsable(); }

} // namespace sheaf::rt::cuda
