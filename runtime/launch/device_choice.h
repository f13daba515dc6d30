// The device that an executable is for.
#ifndef SHEAF_RUNTIME_LAUNCH_DEVICE_CHOICE_H
#define SHEAF_RUNTIME_LAUNCH_DEVICE_CHOICE_H

#include "runtime/core/device.h"
#include "runtime/core/executable.h"

namespace sheaf::rt::launch {

/// What a rank has of its machine.
struct DeviceShare {
  int threads = 1;   ///< of its CPUs
  int localRank = 0; ///< among the ranks of its machine: the number of its GPU
};

/// Opens the device of the executable's target for one rank. Errors: this machine or this build has none.
Result<std::unique_ptr<Device>> openDevice(const Executable &executable, const DeviceShare &share);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_DEVICE_CHOICE_H
