// Implements the CPU as a device.
#include "runtime/host/host_device.h"

#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"
#include "runtime/host/thread_runner.h"

#include <algorithm>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>

namespace sheaf::rt::host {
namespace {

/// A generated kernel over a range of units, in chunks for the threads.
class KernelStep final : public Step {
public:
  KernelStep(Kernel kernel, const KernelSite &site) : kernel(kernel), units(site.units) {
    int64_t wanted = grainFor(site.unitBytes);
    int64_t multiple = (wanted - 1) / site.grain + 1;
    if (__builtin_mul_overflow(multiple, site.grain, &grain))
      grain = site.units;
  }

  Status run(void *const *buffers, std::byte *) override {
    parallelFor(0, units, grain, [this, buffers](int64_t begin, int64_t end) {
      kernel(const_cast<void **>(buffers), begin, end);
    });
    return {};
  }

private:
  Kernel kernel;
  int64_t units;
  int64_t grain;
};

} // namespace

Result<Memory> HostDevice::allocate(abi::Space space, size_t bytes, MemoryAccount *account) {
  if (space != abi::Space::device && space != abi::Space::host)
    return Status::invalid("the host has no memory space ", abi::EnumNameSpace(space));
  return allocateHostMemory(bytes, account);
}

Status HostDevice::upload(const std::byte *from, std::byte *to, size_t bytes) {
  if (bytes > 0) // Null may not be copied from, even no bytes.
    std::memcpy(to, from, bytes);
  return {};
}

Status HostDevice::download(const std::byte *from, std::byte *to, size_t bytes) {
  if (bytes > 0) // Null may not be copied from, even no bytes.
    std::memcpy(to, from, bytes);
  return {};
}

Status HostDevice::loadKernels(const abi::Executable &executable) {
  if (!executable.kernels())
    return {};
  const auto *image = executable.kernels()->bytes();
  Result<KernelLibrary> library =
      KernelLibrary::load({reinterpret_cast<const std::byte *>(image->data()), image->size()});
  if (!library.isOk())
    return library.takeStatus();
  kernels = std::move(*library);
  return {};
}

Result<std::unique_ptr<Step>> HostDevice::bindCall(CallSite &site) {
  try {
    return calls().bind(site);
  } catch (const dnnl::error &error) {
    // As in CallTable: a parameter that could not be read may be why.
    if (Status status = site.params.finish(); !status.isOk())
      return status;
    return Status::invalid("oneDNN can't do this: ", error.message);
  }
}

Result<std::unique_ptr<Step>> HostDevice::bindKernel(const KernelSite &site) {
  if (!kernels)
    return Status::invalid("the executable has no kernels");
  Result<Kernel> kernel = kernels->find(site.name);
  if (!kernel.isOk())
    return kernel.takeStatus();
  return std::unique_ptr<Step>(new KernelStep(*kernel, site));
}

int HostDevice::numThreads(uint32_t numStreams) const {
  return std::max(1, threads / static_cast<int>(numStreams));
}

void HostDevice::enterStream(uint32_t numStreams) { setNumThreads(numThreads(numStreams)); }

Result<std::unique_ptr<Runner>> HostDevice::makeRunner(Schedule schedule) {
  uint32_t numStreams = schedule.numStreams;
  auto enter = [this, numStreams] { enterStream(numStreams); };
  return std::unique_ptr<Runner>(new ThreadRunner(std::move(schedule), team, enter));
}

} // namespace sheaf::rt::host
