// The memory of devices and the pinned memory of the host.
#ifndef SHEAF_TEST_STANDIN_DEVICE_ADDRESS_SPACE_H
#define SHEAF_TEST_STANDIN_DEVICE_ADDRESS_SPACE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace sheaf::standin {

class Shadow;

/// `device` of pinned host memory.
constexpr int hostDevice = -1;

struct Allocation {
  uint64_t number = 0; ///< from 1, in the order of allocation
  int device = hostDevice;
  uint64_t begin = 0;
  uint64_t bytes = 0;
  std::byte *host = nullptr; ///< where the bytes lie in this process
  bool isOwned = true;       ///< else registered memory of the host
  bool isFreed = false;
  std::shared_ptr<Shadow> shadow;
  int numRegistrations = 0; ///< with communicators that are there

  uint64_t end() const { return begin + bytes; }
  /// `allocation 3 (device 0, 4096 bytes) + 128`
  std::string describe(uint64_t address) const;
};

/// Device memory has addresses that the host may not touch: it faults there. Its bytes lie elsewhere. An
/// address is never given twice, so what was freed stays known.
class AddressSpace {
public:
  AddressSpace();
  ~AddressSpace();

  /// Memory filled with a pattern (all ones: NaN in every float). Null if there is no more.
  std::shared_ptr<Allocation> allocate(int device, uint64_t bytes);
  std::shared_ptr<Allocation> allocateHost(uint64_t bytes);
  std::shared_ptr<Allocation> registerHost(void *memory, uint64_t bytes);
  void free(Allocation &allocation);

  /// The allocation that holds `address`, freed ones too; null if none ever did.
  std::shared_ptr<Allocation> find(uint64_t address);
  uint64_t bytesInUse(int device);

  /// Counts the communicators that may reach the allocation directly.
  void addRegistration(Allocation &allocation);
  void removeRegistration(Allocation &allocation);
  /// How often that was done so far.
  uint64_t numRegistrations() const { return registrationCount; }

private:
  std::shared_ptr<Allocation> add(Allocation allocation);

  std::mutex mutex;
  std::map<uint64_t, std::shared_ptr<Allocation>> allocations; ///< by their begin
  std::map<int, uint64_t> used;
  uint64_t reserved = 0;
  uint64_t next = 0;
  uint64_t count = 0;
  std::atomic<uint64_t> registrationCount = 0;
};

} // namespace sheaf::standin

#endif
