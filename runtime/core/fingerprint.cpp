// Hashes word by word.
#include "runtime/core/fingerprint.h"

#include <algorithm>
#include <cstring>

namespace sheaf::rt {

void Fingerprint::add(uint64_t number) {
  constexpr uint64_t odd =
      0x9e3779b97f4a7c15; // 2^64 over the golden ratio: its multiples are spread evenly.
  hash = (hash ^ number) * odd;
  hash ^= hash >> 29;
}

void Fingerprint::addBytes(const void *bytes, size_t size) {
  const auto *at = static_cast<const char *>(bytes);
  for (uint64_t word = 0; size > 0; word = 0) {
    size_t count = std::min(size, sizeof word);
    std::memcpy(&word, at, count);
    add(word);
    at += count;
    size -= count;
  }
}

void Fingerprint::add(std::string_view text) {
  add(text.size());
  addBytes(text.data(), text.size());
}

void Fingerprint::addSample(std::span<const std::byte> bytes, size_t maxBytes) {
  add(bytes.size());
  if (bytes.size() <= maxBytes)
    return addBytes(bytes.data(), bytes.size());
  constexpr size_t pieceBytes = 4096;
  size_t numPieces = std::max<size_t>(2, maxBytes / pieceBytes);
  size_t piece = std::min(pieceBytes, bytes.size());
  size_t step = (bytes.size() - piece) / (numPieces - 1);
  for (size_t i = 0; i < numPieces; ++i)
    addBytes(bytes.data() + (i + 1 < numPieces ? i * step : bytes.size() - piece), piece);
}

} // namespace sheaf::rt
