// GPUs as devices. Includes nothing of CUDA's: builds without the toolkit have it too.
#ifndef SHEAF_RUNTIME_CUDA_OPEN_DEVICE_H
#define SHEAF_RUNTIME_CUDA_OPEN_DEVICE_H

#include "runtime/core/device.h"

namespace sheaf::rt::cuda {

/// Errors: programs for CUDA can't run here; the text says which part is missing: the toolkit when this was built, a
/// library, the driver, a GPU.
Status checkUsable();

/// Opens GPU number `ordinal` for the thread that calls. Errors: as `checkUsable`, or there are fewer GPUs.
Result<std::unique_ptr<Device>> openDevice(int ordinal);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_OPEN_DEVICE_H
