// Finds out whether there is a GPU that programs can use.
#include "runtime/cuda/open_device.h"

#include "runtime/cuda/cuda_device.h"

namespace sheaf::rt::cuda {
namespace {

Result<int> countDevices() {
  if (Status status = loadCudart(); !status.isOk())
    return status;
  int driver = 0;
  if (cudart().cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
    return Status::invalid("no usable GPU: this machine has no CUDA driver (libcuda.so.1)");
  int count = 0;
  cudaError_t error = cudart().cudaGetDeviceCount(&count);
  if (error != cudaSuccess)
    return Status::invalid("no usable GPU: ", cudart().cudaGetErrorString(error), " (",
                           cudart().cudaGetErrorName(error), "; the driver is for CUDA ",
                           driver / 1000, ".", driver % 1000 / 10, ")");
  if (count == 0)
    return Status::invalid("no usable GPU: the driver shows none");
  return count;
}

} // namespace

Status checkUsable() {
  Result<int> count = countDevices();
  return count.isOk() ? Status() : count.takeStatus();
}

Result<std::unique_ptr<Device>> openDevice(int ordinal) {
  Result<int> count = countDevices();
  if (!count.isOk())
    return count.takeStatus();
  if (ordinal >= *count)
    return Status::invalid("this machine has ", *count, *count == 1 ? " GPU" : " GPUs", " but ",
                           "rank number ", ordinal, " of it needs one of its own");
  Result<std::unique_ptr<CudaDevice>> device = CudaDevice::open(ordinal);
  if (!device.isOk())
    return device.takeStatus().annotated("GPU ", ordinal);
  return std::unique_ptr<Device>(std::move(*device));
}

} // namespace sheaf::rt::cuda
