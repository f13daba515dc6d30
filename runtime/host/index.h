// Indices that come from data: wrapped when negative, reported when out of range.
#ifndef SHEAF_RUNTIME_HOST_INDEX_H
#define SHEAF_RUNTIME_HOST_INDEX_H

#include "runtime/core/dim_check.h"

#include <atomic>
#include <cstdint>
#include <span>

namespace sheaf::rt::host {

/// Reads the indices of one run, on any number of threads. Out of range ones are noted, and read as 0 or not at all.
/// `whole`: where data is a block, the extents that it is a block of (parameter `whole`), for messages.
class IndexReader {
public:
  explicit IndexReader(int64_t extent, std::span<const int64_t> whole = {})
      : extent(extent), whole(whole) {}

  /// The index `value` stands for, or -1 when there is none. `at`: which of a tuple it is.
  int64_t read(int64_t value, int64_t bound, size_t at = 0) {
    int64_t index = value < 0 ? value + bound : value;
    if (index >= 0 && index < bound) [[likely]]
      return index;
    // Any one of several will do; the bound goes with it.
    if (!isBad.exchange(true, std::memory_order_relaxed)) {
      badValue.store(value, std::memory_order_relaxed);
      badBound.store(at < whole.size() ? whole[at] : bound, std::memory_order_relaxed);
    }
    return -1;
  }
  int64_t read(int64_t value) { return read(value, extent); }

  /// Failure when an index was out of range.
  Status finish() const {
    if (!isBad)
      return {};
    return Status::failed("index ", badValue.load(), " is out of range for an extent of ",
                          badBound.load());
  }

private:
  int64_t extent;
  std::span<const int64_t> whole;
  std::atomic<bool> isBad = false;
  std::atomic<int64_t> badValue = 0, badBound = 0;
};

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_INDEX_H
