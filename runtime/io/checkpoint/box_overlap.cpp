// Intersects boxes.
#include "runtime/io/checkpoint/box_overlap.h"

#include <cstring>

namespace sheaf::rt::io {

BoxOverlap::BoxOverlap(const ShardBox &from, const ShardBox &to, int64_t elementBytes)
    : runBytes(elementBytes) {
  int64_t fromStride = elementBytes, toStride = elementBytes;
  bool isTogether = true; // All of the dims so far, in both.
  for (size_t dim = from.size(); dim-- > 0;) {
    const abi::Shard &a = from[dim], &b = to[dim];
    int64_t begin = std::max(a.begin, b.begin);
    int64_t extent = std::min(a.begin + a.extent, b.begin + b.extent) - begin;
    if (extent <= 0) {
      runBytes = 0;
      return;
    }
    fromOffset += (begin - a.begin) * fromStride;
    toOffset += (begin - b.begin) * toStride;
    if (isTogether)
      runBytes *= extent;
    else
      dims.insert(dims.begin(), {extent, fromStride, toStride});
    isTogether &= extent == a.block && extent == b.block;
    fromStride *= a.block;
    toStride *= b.block;
  }
}

void BoxOverlap::copy(const std::byte *from, std::byte *to) const {
  Status alwaysOk = forEachRun([&](int64_t fromByte, int64_t toByte, int64_t bytes) {
    std::memcpy(to + toByte, from + fromByte, static_cast<size_t>(bytes));
    return Status();
  });
  (void)alwaysOk;
}

ShardBox wholeBox(std::span<const int64_t> dims) {
  ShardBox box;
  for (int64_t extent : dims)
    box.push_back(abi::Shard::whole(extent));
  return box;
}

ShardBox withoutPadding(const ShardBox &box) {
  ShardBox dense = box;
  for (abi::Shard &shard : dense)
    shard.block = shard.extent;
  return dense;
}

int64_t elementsOf(const ShardBox &box) {
  int64_t count = 1;
  for (const abi::Shard &shard : box)
    count *= shard.extent;
  return count;
}

} // namespace sheaf::rt::io
