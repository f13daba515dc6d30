// The CPU as a device.
#ifndef SHEAF_RUNTIME_HOST_HOST_DEVICE_H
#define SHEAF_RUNTIME_HOST_HOST_DEVICE_H

#include "runtime/core/device.h"
#include "runtime/host/kernel_library.h"
#include "runtime/host/stream_team.h"

#include <optional>

namespace sheaf::rt::host {

/// Runs calls of runtime/host/calls and generated kernels on the threads of this process. Both memory spaces,
/// device and host, are host memory.
class HostDevice final : public Device {
public:
  /// `threads`: how many work on a step; several streams divide them.
  explicit HostDevice(int threads) : threads(threads) {}

  Result<Memory> allocate(abi::Space space, size_t bytes, MemoryAccount *account) override;
  bool isHostMemory() const override { return true; }
  Status upload(const std::byte *from, std::byte *to, size_t bytes) override;
  Status download(const std::byte *from, std::byte *to, size_t bytes) override;
  Status drain() override { return {}; }
  Status loadKernels(const abi::Executable &executable) override;
  Result<std::unique_ptr<Step>> bindCall(CallSite &site) override;
  Result<std::unique_ptr<Step>> bindKernel(const KernelSite &site) override;
  int numThreads(uint32_t numStreams) const override;
  void enterStream(uint32_t numStreams) override;
  Result<std::unique_ptr<Runner>> makeRunner(Schedule schedule) override;
  Communicator *connect(Communicator *processes) override { return processes; }

private:
  int threads;
  StreamTeam team; ///< of all programs
  std::optional<KernelLibrary> kernels;
};

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_HOST_DEVICE_H
