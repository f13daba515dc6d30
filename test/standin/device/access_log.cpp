// Collects accesses in bitmaps.
#include "test/standin/device/access_log.h"

#include <algorithm>
#include <bit>

namespace sheaf::standin {

AccessLog::Chunk &AccessLog::chunkAt(uint64_t index) {
  if (index != lastIndex) {
    std::unique_ptr<Chunk> &chunk = chunks[index];
    if (!chunk)
      chunk = std::make_unique<Chunk>();
    last = chunk.get();
    lastIndex = index;
  }
  return *last;
}

void AccessLog::mark(uint64_t address, uint64_t bytes, bool isWrite) {
  for (const uint64_t end = address + bytes; address < end;) {
    Chunk &chunk = chunkAt(address / chunkBytes);
    const uint64_t bit = address % 64;
    const uint64_t count = std::min(end - address, 64 - bit);
    const uint64_t mask = (count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1) << bit;
    const uint64_t word = address % chunkBytes / 64;
    if (isWrite)
      chunk.written[word] |= mask;
    else
      chunk.read[word] |= mask & ~chunk.written[word];
    address += count;
  }
}

std::vector<AccessLog::Range> AccessLog::ranges(bool ofWrites) const {
  std::vector<Range> found;
  auto add = [&](uint64_t begin, uint64_t end) {
    if (!found.empty() && found.back().end == begin)
      found.back().end = end;
    else
      found.push_back({begin, end});
  };
  for (const auto &[index, chunk] : chunks) {
    const auto &words = ofWrites ? chunk->written : chunk->read;
    for (uint64_t word = 0; word < numWords; ++word) {
      uint64_t bits = words[word];
      const uint64_t base = index * chunkBytes + word * 64;
      while (bits) {
        const auto first = static_cast<uint64_t>(std::countr_zero(bits));
        const auto count = static_cast<uint64_t>(std::countr_one(bits >> first));
        add(base + first, base + first + count);
        bits = first + count == 64 ? 0 : bits >> (first + count) << (first + count);
      }
    }
  }
  return found;
}

} // namespace sheaf::standin
