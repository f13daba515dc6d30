// Which part of a dim a rank holds: the one place where compiler and runtime agree on it.
//
// A dim of extent d that is cut into n parts gives each part a block of ceil(d / n) elements: the first parts are
// full, one may be shorter, the last may hold nothing. A dim that is cut along several axes is cut along the first
// into blocks, and each block, of its full size, is cut again along the next. Memory holds whole blocks: what follows
// the elements of a short or empty part is padding, of no defined value.
#ifndef SHEAF_RUNTIME_ABI_SHARD_H
#define SHEAF_RUNTIME_ABI_SHARD_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sheaf::abi {

/// The block of a dim of `extent` elements that is cut into `parts` (at least 1).
constexpr int64_t blockOf(int64_t extent, int64_t parts) {
  return extent == 0 ? 0 : (extent - 1) / parts + 1;
}

/// A part of a dim.
struct Shard {
  int64_t begin = 0;  ///< its first element, in elements of the whole dim
  int64_t extent = 0; ///< the elements it holds; the rest of the block is padding
  int64_t block = 0;  ///< the elements that its memory has room for

  /// The whole dim.
  static constexpr Shard whole(int64_t extent) { return {0, extent, extent}; }

  /// Part `index` of `parts` of this one.
  constexpr Shard part(int64_t parts, int64_t index) const {
    int64_t size = blockOf(block, parts);
    int64_t skipped = std::min(index * size, extent);
    return {begin + skipped, std::min(extent - skipped, size), size};
  }

  friend constexpr bool operator==(const Shard &, const Shard &) = default;
};

/// The parts of a dim of `extent` elements that is cut into `sizes[0]`, each of these into `sizes[1]`, and so on.
inline std::vector<Shard> shardsOf(int64_t extent, const std::vector<int64_t> &sizes) {
  std::vector<Shard> shards = {Shard::whole(extent)};
  for (int64_t size : sizes) {
    std::vector<Shard> cut;
    for (const Shard &shard : shards)
      for (int64_t index = 0; index < size; ++index)
        cut.push_back(shard.part(size, index));
    shards = std::move(cut);
  }
  return shards;
}

/// The coordinate along the part (`preSize`, `size`) of a mesh axis of extent `axisSize`, of a rank whose coordinate
/// along the whole axis is `coordinate`: digits of weight below axisSize / preSize, down to
/// axisSize / (preSize * size).
constexpr int64_t partCoordinate(int64_t coordinate, int64_t axisSize, int64_t preSize,
                                 int64_t size) {
  return coordinate / (axisSize / (preSize * size)) % size;
}

} // namespace sheaf::abi

#endif // SHEAF_RUNTIME_ABI_SHARD_H
