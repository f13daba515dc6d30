// libcudart: allocations, copies and fills.
#include <cstring>
#include <memory>

#include "test/standin/cudart/state.h"

using namespace sheaf::standin;
using namespace sheaf::standin::cudart;

static AddressSpace &space() { return Engine::get().addresses(); }

static std::shared_ptr<Allocation> allocationAt(const void *pointer) {
  auto found = space().find(reinterpret_cast<uint64_t>(pointer));
  return found && !found->isFreed ? found : nullptr;
}

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  return call([&] {
    *pointer = nullptr;
    if (breaksCapture())
      return cudaErrorStreamCaptureUnsupported;
    if (bytes == 0)
      return cudaSuccess;
    auto allocation = space().allocate(currentDevice(), bytes);
    if (!allocation)
      return cudaErrorMemoryAllocation;
    *pointer = reinterpret_cast<void *>(allocation->begin);
    return cudaSuccess;
  });
}

/// Frees what `pointer` must be the begin of, once the device has done all it has to do.
static cudaError_t freeBegin(void *pointer, bool isHost) {
  if (!pointer)
    return cudaSuccess;
  if (breaksCapture())
    return cudaErrorStreamCaptureUnsupported;
  auto allocation = allocationAt(pointer);
  if (!allocation || allocation->begin != reinterpret_cast<uint64_t>(pointer) ||
      (allocation->device == hostDevice) != isHost || !allocation->isOwned)
    return cudaErrorInvalidValue;
  Engine::get().waitForDevice(isHost ? currentDevice() : allocation->device);
  if (allocation->numRegistrations > 0)
    Engine::get().fail(allocation->device,
                       "memory is freed while it is registered with a communicator: " +
                           allocation->describe(allocation->begin));
  space().free(*allocation);
  return cudaSuccess;
}

cudaError_t cudaFree(void *pointer) {
  return call([&] { return freeBegin(pointer, false); });
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
  return toStream(stream) ? cudaMalloc(pointer, bytes) : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t handle) {
  return call([&] {
    Stream *stream = toStream(handle);
    auto allocation = allocationAt(pointer);
    if (!stream || !allocation)
      return stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    return submit(*stream, Operation("free", [allocation](Execution &execution) {
      // To free is to write: whoever still uses it must come before.
      execution.write(reinterpret_cast<void *>(allocation->begin), allocation->bytes);
      space().free(*allocation);
    }));
  });
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
  return call([&] {
    *pointer = nullptr;
    if (breaksCapture())
      return cudaErrorStreamCaptureUnsupported;
    if (bytes == 0)
      return cudaSuccess;
    auto allocation = space().allocateHost(bytes);
    if (!allocation)
      return cudaErrorMemoryAllocation;
    *pointer = allocation->host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned) {
  return cudaMallocHost(pointer, bytes);
}

cudaError_t cudaFreeHost(void *pointer) {
  return call([&] { return freeBegin(pointer, true); });
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned) {
  return call([&] {
    if (allocationAt(pointer))
      return cudaErrorHostMemoryAlreadyRegistered;
    space().registerHost(pointer, bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void *pointer) {
  return call([&] {
    auto allocation = allocationAt(pointer);
    if (!allocation || allocation->isOwned)
      return cudaErrorInvalidValue;
    Engine::get().waitForDevice(currentDevice());
    space().free(*allocation);
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  *total = size_t(16) << 30;
  *free = *total - std::min<size_t>(*total, space().bytesInUse(currentDevice()));
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
  *attributes = {};
  auto allocation = allocationAt(pointer);
  if (!allocation)
    return cudaSuccess; // cudaMemoryTypeUnregistered
  const bool isHost = allocation->device == hostDevice;
  attributes->type = isHost ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
  attributes->device = isHost ? currentDevice() : allocation->device;
  attributes->devicePointer = const_cast<void *>(pointer);
  attributes->hostPointer = isHost ? const_cast<void *>(pointer) : nullptr;
  return cudaSuccess;
}

/// One end of a copy.
struct End {
  explicit End(const void *pointer) : pointer(pointer), isPageable(!space().find(address())) {}

  uint64_t address() const { return reinterpret_cast<uint64_t>(pointer); }
  bool isHost() const { return isPageable || space().find(address())->device == hostDevice; }

  const void *pointer;
  bool isPageable;
};

static bool fits(cudaMemcpyKind kind, const End &to, const End &from) {
  switch (kind) {
  case cudaMemcpyHostToHost:
    return to.isHost() && from.isHost();
  case cudaMemcpyHostToDevice:
    return !to.isHost() && from.isHost();
  case cudaMemcpyDeviceToHost:
    return to.isHost() && !from.isHost();
  case cudaMemcpyDeviceToDevice:
    return !to.isHost() && !from.isHost();
  default:
    return true;
  }
}

static cudaError_t copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                        Stream &stream, bool mustWait) {
  if (bytes == 0)
    return cudaSuccess;
  const End target(to), source(from);
  if (!fits(kind, target, source))
    return cudaErrorInvalidMemcpyDirection;
  // Pageable memory is read before the call returns, unless a graph reads it later.
  std::shared_ptr<std::vector<std::byte>> staged;
  if (source.isPageable && !stream.capture) {
    const auto *begin = static_cast<const std::byte *>(from);
    staged = std::make_shared<std::vector<std::byte>>(begin, begin + bytes);
    if (!mustWait)
      Engine::get().countHostWait();
  }
  auto run = [=](Execution &execution) {
    const std::byte *read = staged              ? staged->data()
                            : source.isPageable ? static_cast<const std::byte *>(from)
                                                : execution.read(from, bytes);
    std::byte *write =
        target.isPageable ? static_cast<std::byte *>(to) : execution.write(to, bytes);
    std::memmove(write, read, bytes);
  };
  Operation operation("copy", run);
  operation.isWork = !source.isHost() && !target.isHost();
  if (cudaError_t error = submit(stream, std::move(operation)); error != cudaSuccess)
    return error;
  if (mustWait || (target.isPageable && !stream.capture))
    Engine::get().waitForStream(stream);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t handle) {
  return call([&] {
    Stream *stream = toStream(handle);
    return stream ? copy(to, from, bytes, kind, *stream, false) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return call([&] {
    if (breaksCapture())
      return cudaErrorStreamCaptureUnsupported;
    return copy(to, from, bytes, kind, *toStream(nullptr), true);
  });
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t handle) {
  return call([&] {
    Stream *stream = toStream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    if (bytes == 0)
      return cudaSuccess;
    if (!allocationAt(pointer))
      return cudaErrorInvalidValue;
    return submit(*stream, Operation("fill", [=](Execution &execution) {
      std::memset(execution.write(pointer, bytes), value, bytes);
    }));
  });
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes) {
  return cudaMemsetAsync(pointer, value, bytes, nullptr);
}
