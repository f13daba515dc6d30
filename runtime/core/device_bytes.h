// Reads and writes memory of a device as if it were the process's.
#ifndef SHEAF_RUNTIME_CORE_DEVICE_BYTES_H
#define SHEAF_RUNTIME_CORE_DEVICE_BYTES_H

#include "runtime/core/device.h"

namespace sheaf::rt {

/// Calls `fill`, which returns a Status, with `bytes` bytes to write: those at `to` where they are the process's, else
/// zeros that are then copied there.
template <typename Fill>
Status fillBytes(Device &device, std::byte *to, size_t bytes, const Fill &fill) {
  if (device.isHostMemory())
    return fill(to);
  Result<Memory> staging = device.allocate(abi::Space::host, bytes, /*account=*/nullptr);
  if (!staging.isOk())
    return staging.takeStatus();
  if (Status status = fill(staging->data()); !status.isOk())
    return status;
  return device.upload(staging->data(), to, bytes);
}

/// Calls `use`, which returns a Status, with the `bytes` bytes at `from`, or with a copy of them.
template <typename Use>
Status useBytes(Device &device, const std::byte *from, size_t bytes, const Use &use) {
  if (device.isHostMemory())
    return use(from);
  Result<Memory> staging = device.allocate(abi::Space::host, bytes, /*account=*/nullptr);
  if (!staging.isOk())
    return staging.takeStatus();
  if (Status status = device.download(from, staging->data(), bytes); !status.isOk())
    return status;
  return use(const_cast<const std::byte *>(staging->data()));
}

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_DEVICE_BYTES_H
