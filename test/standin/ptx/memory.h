// The memory that a kernel reaches by global addresses, as whoever runs kernels provides it.
#ifndef SHEAF_TEST_STANDIN_PTX_MEMORY_H
#define SHEAF_TEST_STANDIN_PTX_MEMORY_H

#include <cstddef>
#include <cstdint>

namespace sheaf::standin::ptx {

enum class Access : uint8_t { Read, Write, Atomic };

/// An allocation [begin, end) of the kernel's addresses and where its bytes lie in this process.
struct Region {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::byte *host = nullptr;

  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= begin && address <= end && bytes <= end - address;
  }
};

/// Knows allocations, and is told of each access.
class Memory {
public:
  virtual ~Memory() = default;

  /// The allocation that holds `address`; an empty region if there is none. Allocations stay where
  /// they are while a kernel runs.
  virtual Region find(uint64_t address) = 0;

  /// Hears of an access by a warp, before it is done: neighbouring lanes' accesses come as one. Whoever
  /// wants to stop the kernel returns what is wrong, else nullptr; the text must outlive the launch.
  virtual const char *touch(uint64_t address, uint64_t bytes, Access access) { return nullptr; }
};

} // namespace sheaf::standin::ptx

#endif
