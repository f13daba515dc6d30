// The hash that tells whether two ranks, or a file and its writer, have the same executable.
#ifndef SHEAF_RUNTIME_CORE_CONTENT_HASH_H
#define SHEAF_RUNTIME_CORE_CONTENT_HASH_H

#include <array>
#include <cstddef>
#include <span>

namespace sheaf::rt {

using ContentHash = std::array<std::byte, 32>;

/// SHA-256 of `file`, with the 32 bytes at `hashOffset` (where the file keeps its own hash) taken as zeros.
ContentHash contentHash(std::span<const std::byte> file, size_t hashOffset);

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_CONTENT_HASH_H
