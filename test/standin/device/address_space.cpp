// Maps memory for devices and for pinned buffers of the host.
#include "test/standin/device/address_space.h"

#include <cstring>
#include <sys/mman.h>

#include "test/standin/device/shadow.h"

namespace sheaf::standin {

/// Addresses of all devices together.
constexpr uint64_t reservedBytes = uint64_t(1) << 42;
/// Between allocations, so that small steps out of bounds land nowhere.
constexpr uint64_t guardBytes = 4096;
constexpr uint64_t alignment = 512;

std::string Allocation::describe(uint64_t address) const {
  const std::string where =
      device == hostDevice ? "pinned host memory" : "device " + std::to_string(device);
  return "allocation " + std::to_string(number) + " (" + where + ", " + std::to_string(bytes) +
         " bytes) + " + std::to_string(address - begin);
}

AddressSpace::AddressSpace() {
  void *range =
      mmap(nullptr, reservedBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range != MAP_FAILED)
    reserved = next = reinterpret_cast<uint64_t>(range);
}

AddressSpace::~AddressSpace() {
  for (auto &[begin, allocation] : allocations)
    if (!allocation->isFreed && allocation->isOwned)
      munmap(allocation->host, allocation->bytes);
  if (reserved)
    munmap(reinterpret_cast<void *>(reserved), reservedBytes);
}

static std::byte *mapBytes(uint64_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  std::memset(memory, 0xff, bytes);
  return static_cast<std::byte *>(memory);
}

std::shared_ptr<Allocation> AddressSpace::add(Allocation allocation) {
  allocation.number = ++count;
  allocation.shadow = std::make_shared<Shadow>(allocation.begin, allocation.end());
  used[allocation.device] += allocation.bytes;
  auto shared = std::make_shared<Allocation>(std::move(allocation));
  allocations[shared->begin] = shared;
  return shared;
}

std::shared_ptr<Allocation> AddressSpace::allocate(int device, uint64_t bytes) {
  std::lock_guard lock(mutex);
  const uint64_t span = (bytes + guardBytes + alignment - 1) / alignment * alignment;
  if (!reserved || bytes > reservedBytes || next + span > reserved + reservedBytes)
    return nullptr;
  std::byte *host = mapBytes(bytes);
  if (!host)
    return nullptr;
  Allocation allocation;
  allocation.device = device;
  allocation.begin = next;
  allocation.bytes = bytes;
  allocation.host = host;
  next += span;
  return add(std::move(allocation));
}

std::shared_ptr<Allocation> AddressSpace::allocateHost(uint64_t bytes) {
  std::lock_guard lock(mutex);
  std::byte *host = mapBytes(bytes);
  if (!host)
    return nullptr;
  Allocation allocation;
  allocation.begin = reinterpret_cast<uint64_t>(host);
  allocation.bytes = bytes;
  allocation.host = host;
  return add(std::move(allocation));
}

std::shared_ptr<Allocation> AddressSpace::registerHost(void *memory, uint64_t bytes) {
  std::lock_guard lock(mutex);
  Allocation allocation;
  allocation.begin = reinterpret_cast<uint64_t>(memory);
  allocation.bytes = bytes;
  allocation.host = static_cast<std::byte *>(memory);
  allocation.isOwned = false;
  return add(std::move(allocation));
}

void AddressSpace::free(Allocation &allocation) {
  std::lock_guard lock(mutex);
  allocation.isFreed = true;
  used[allocation.device] -= allocation.bytes;
  if (allocation.isOwned)
    munmap(allocation.host, allocation.bytes);
  // The host may use its addresses again for anything.
  if (allocation.device == hostDevice)
    allocations.erase(allocation.begin);
}

std::shared_ptr<Allocation> AddressSpace::find(uint64_t address) {
  std::lock_guard lock(mutex);
  auto found = allocations.upper_bound(address);
  if (found == allocations.begin())
    return nullptr;
  --found;
  return address < found->second->end() ? found->second : nullptr;
}

uint64_t AddressSpace::bytesInUse(int device) {
  std::lock_guard lock(mutex);
  return used[device];
}

void AddressSpace::addRegistration(Allocation &allocation) {
  std::lock_guard lock(mutex);
  ++allocation.numRegistrations;
  ++registrationCount;
}

void AddressSpace::removeRegistration(Allocation &allocation) {
  std::lock_guard lock(mutex);
  --allocation.numRegistrations;
}

} // namespace sheaf::standin
