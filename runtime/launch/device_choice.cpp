// Opens devices by the name of the target.
#include "runtime/launch/device_choice.h"

#include "runtime/cuda/open_device.h"
#include "runtime/host/host_device.h"

namespace sheaf::rt::launch {

Result<std::unique_ptr<Device>> openDevice(const Executable &executable, const DeviceShare &share) {
  if (executable.table().target()->string_view() == "cuda")
    return cuda::openDevice(share.localRank);
  return std::unique_ptr<Device>(std::make_unique<host::HostDevice>(share.threads));
}

} // namespace sheaf::rt::launch
