// Memory that programs use, and the account of it.
#ifndef SHEAF_RUNTIME_CORE_MEMORY_H
#define SHEAF_RUNTIME_CORE_MEMORY_H

#include "runtime/abi/planned_memory.h"
#include "runtime/core/status.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace sheaf::rt {

/// Every block that programs get is aligned to this many bytes, and so is every base pointer they are given.
inline constexpr auto memoryAlignment = static_cast<size_t>(abi::blockAlignment);

/// Counts the bytes of all blocks charged to it, now and at the highest. One thread at a time.
class MemoryAccount {
public:
  void add(size_t bytes) {
    current += bytes;
    peak = std::max(peak, current);
  }
  void remove(size_t bytes) { current -= bytes; }
  size_t currentBytes() const { return current; }
  size_t peakBytes() const { return peak; }

private:
  size_t current = 0;
  size_t peak = 0;
};

/// One zero-filled block. A device's own memory has its own `release`.
class Memory {
public:
  using Release = void (*)(void *data, size_t bytes);

  Memory() = default;
  /// Takes ownership of `bytes` bytes at `data`, charged to `account` (may be null; must outlive this).
  Memory(void *data, size_t bytes, Release release, MemoryAccount *account)
      : block(static_cast<std::byte *>(data)), count(bytes), release(release), account(account) {
    if (account)
      account->add(bytes);
  }
  Memory(Memory &&other) noexcept { swap(other); }
  Memory &operator=(Memory &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Memory() {
    if (!block)
      return;
    release(block, count);
    if (account)
      account->remove(count);
  }

  /// Takes the block off the account it was charged to, which may then go first.
  void discharge() {
    if (block && account)
      account->remove(count);
    account = nullptr;
  }

  std::byte *data() const { return block; }
  size_t bytes() const { return count; }

private:
  void swap(Memory &other) {
    std::swap(block, other.block);
    std::swap(count, other.count);
    std::swap(release, other.release);
    std::swap(account, other.account);
  }

  std::byte *block = nullptr;
  size_t count = 0;
  Release release = nullptr;
  MemoryAccount *account = nullptr;
};

/// Host memory of abi::blockBytes(bytes) bytes (that is what `account` is charged), aligned to `memoryAlignment`, in
/// huge pages where that helps. Zero bytes give a valid pointer too. Fails when the system has no such block.
Result<Memory> allocateHostMemory(size_t bytes, MemoryAccount *account = nullptr);

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_MEMORY_H
