// The device that the tests of calls run on: one suite for every device.
#ifndef SHEAF_TEST_RUNTIME_DEVICE_UNDER_TEST_H
#define SHEAF_TEST_RUNTIME_DEVICE_UNDER_TEST_H

#include "runtime/core/communicator.h"
#include "runtime/cuda/open_device.h"
#include "runtime/host/host_device.h"

#include <cstdlib>

namespace sheaf::rt::test {

/// "host", or what the environment variable SHEAF_TEST_TARGET says.
inline const char *targetUnderTest() {
  const char *target = std::getenv("SHEAF_TEST_TARGET");
  return target ? target : "host";
}

/// A device of that target for the rank of `communicator`, which may be null.
inline Result<std::unique_ptr<Device>> openDeviceUnderTest(int threads,
                                                           Communicator *communicator = nullptr) {
  if (std::string_view(targetUnderTest()) == "cuda")
    return cuda::openDevice(communicator ? communicator->rank() : 0);
  return std::unique_ptr<Device>(std::make_unique<host::HostDevice>(threads));
}

} // namespace sheaf::rt::test

#endif // SHEAF_TEST_RUNTIME_DEVICE_UNDER_TEST_H
