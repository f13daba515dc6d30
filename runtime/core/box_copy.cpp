// Copies boxes run by run.
#include "runtime/core/box_copy.h"

#include <cstring>

namespace sheaf::rt {

BoxCopy::BoxCopy(std::span<const int64_t> globalDims, const ShardBox &box, int64_t elementBytes)
    : runBytes(elementBytes), local(elementBytes) {
  int64_t global = elementBytes;
  bool isWhole = true; // The dims so far have all their elements, and no room for more.
  for (size_t dim = box.size(); dim-- > 0;) {
    const abi::Shard &shard = box[dim];
    offset += shard.begin * global;
    if (isWhole)
      runBytes *= shard.extent;
    else
      dims.insert(dims.begin(), {shard.extent, global, local});
    isWhole &= shard.extent == shard.block && shard.extent == globalDims[dim];
    global *= globalDims[dim];
    local *= shard.block;
    if (shard.extent == 0)
      runBytes = 0;
  }
}

template <typename Visit> void BoxCopy::forEachRun(Visit visit) const {
  if (runBytes == 0)
    return;
  std::vector<int64_t> index(dims.size(), 0);
  for (int64_t global = offset, local = 0;;) {
    visit(global, local);
    size_t dim = dims.size();
    for (; dim > 0; --dim) {
      const Dim &d = dims[dim - 1];
      global += d.globalStride;
      local += d.localStride;
      if (++index[dim - 1] < d.extent)
        break;
      global -= d.globalStride * d.extent;
      local -= d.localStride * d.extent;
      index[dim - 1] = 0;
    }
    if (dim == 0)
      return;
  }
}

void BoxCopy::toLocal(const std::byte *global, std::byte *local) const {
  forEachRun([&](int64_t from, int64_t to) {
    std::memcpy(local + to, global + from, static_cast<size_t>(runBytes));
  });
}

void BoxCopy::toGlobal(const std::byte *local, std::byte *global) const {
  forEachRun([&](int64_t to, int64_t from) {
    std::memcpy(global + to, local + from, static_cast<size_t>(runBytes));
  });
}

} // namespace sheaf::rt
