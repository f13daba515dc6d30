// The CPU as a device.
#ifndef SHEAF_RUNTIME_HOST_HOST_DEVICE_H
#define SHEAF_RUNTIME_HOST_HOST_DEVICE_H

#include "runtime/core/device.h"
#include "runtime/host/kernel_library.h"

#include <optional>

namespace sheaf::rt::host {

/// Runs calls of runtime/host/calls and generated kernels on the threads of this process. Both memory spaces,
/// device and host, are host memory.
class HostDevice final : public Device {
public:
  /// `threads`: how many work on a step; several streams divide them.
  explicit HostDevice(int threads) : threads(threads) {}

  Result<Memory> allocate(abi::Space space, size_t bytes, MemoryAccount *account) override;
  Status loadKernels(std::span<const std::byte> image) override;
  Result<std::unique_ptr<Step>> bindCall(CallSite &site) override;
  Result<std::unique_ptr<Step>> bindKernel(const KernelSite &site) override;
  int numThreads(uint32_t numStreams) const override;
  void enterStream(uint32_t numStreams) override;

private:
  int threads;
  std::optional<KernelLibrary> kernels;
};

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_HOST_DEVICE_H
