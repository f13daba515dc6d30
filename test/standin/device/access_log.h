// Which bytes one operation reads and writes, collected while it runs.
#ifndef SHEAF_TEST_STANDIN_DEVICE_ACCESS_LOG_H
#define SHEAF_TEST_STANDIN_DEVICE_ACCESS_LOG_H

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace sheaf::standin {

/// A bit per byte, in chunks. A byte that the operation itself wrote before it read it counts as
/// written only.
class AccessLog {
public:
  void read(uint64_t address, uint64_t bytes) { mark(address, bytes, false); }
  void write(uint64_t address, uint64_t bytes) { mark(address, bytes, true); }

  struct Range {
    uint64_t begin, end;
  };
  /// Whole ranges, in the order of addresses.
  std::vector<Range> reads() const { return ranges(false); }
  std::vector<Range> writes() const { return ranges(true); }

private:
  static constexpr uint64_t chunkBytes = 1 << 15;
  static constexpr uint64_t numWords = chunkBytes / 64;
  struct Chunk {
    std::array<uint64_t, numWords> read{};
    std::array<uint64_t, numWords> written{};
  };

  void mark(uint64_t address, uint64_t bytes, bool isWrite);
  Chunk &chunkAt(uint64_t index);
  std::vector<Range> ranges(bool ofWrites) const;

  std::map<uint64_t, std::unique_ptr<Chunk>> chunks;
  uint64_t lastIndex = UINT64_MAX;
  Chunk *last = nullptr;
};

} // namespace sheaf::standin

#endif
