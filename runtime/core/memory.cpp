// Gets host memory from the system.
#include "runtime/core/memory.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace sheaf::rt {
namespace {

constexpr size_t hugePageBytes = size_t(2) << 20;

/// Maps `bytes`, rounded up to pages, at a multiple of the size of a huge page; null when there is no room.
void *mapHuge(size_t bytes) {
  constexpr size_t pageBytes = 4096;
  bytes = (bytes + pageBytes - 1) / pageBytes * pageBytes;
  size_t mapped = bytes + hugePageBytes;
  void *data = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED)
    return nullptr;
  // Give back what lies before the aligned start and after the end.
  auto start = reinterpret_cast<uintptr_t>(data);
  uintptr_t aligned = (start + hugePageBytes - 1) / hugePageBytes * hugePageBytes;
  if (aligned > start)
    ::munmap(data, aligned - start);
  if (size_t tail = start + mapped - (aligned + bytes); tail > 0)
    ::munmap(reinterpret_cast<void *>(aligned + bytes), tail);
  auto *block = reinterpret_cast<void *>(aligned);
  ::madvise(block, bytes, MADV_HUGEPAGE); // Only speed depends on it.
  return block;
}

} // namespace

Result<Memory> allocateHostMemory(size_t bytes, MemoryAccount *account) {
  constexpr size_t limit = size_t(1) << 62; // Room to round up.
  auto rounded = static_cast<size_t>(abi::blockBytes(static_cast<int64_t>(std::min(bytes, limit))));
  if (bytes >= hugePageBytes && bytes < limit) {
    if (void *data = mapHuge(rounded))
      return Memory(
          data, rounded, [](void *data, size_t bytes) { ::munmap(data, bytes); }, account);
  } else if (bytes < hugePageBytes) {
    if (void *data = std::aligned_alloc(memoryAlignment, rounded)) {
      std::memset(data, 0, rounded);
      return Memory(data, rounded, [](void *data, size_t) { std::free(data); }, account);
    }
  }
  return Status::invalid("the system has no memory for a block of ", bytes, " bytes");
}

} // namespace sheaf::rt
