// Keeps the list of blocks.
#include "runtime/cuda/device_blocks.h"

namespace sheaf::rt::cuda {

DeviceBlocks &DeviceBlocks::get() {
  static auto *blocks = new DeviceBlocks; // Memory may be freed at the very end of the process.
  return *blocks;
}

void DeviceBlocks::add(Block block) {
  std::lock_guard lock(mutex);
  blocks[static_cast<std::byte *>(block.begin)] = {block.bytes, {}};
}

void DeviceBlocks::remove(void *begin) {
  std::vector<std::function<void()>> actions;
  {
    std::lock_guard lock(mutex);
    auto found = blocks.find(static_cast<std::byte *>(begin));
    if (found == blocks.end())
      return;
    actions = std::move(found->second.actions);
    blocks.erase(found);
  }
  for (const std::function<void()> &action : actions)
    action();
}

std::optional<DeviceBlocks::Block> DeviceBlocks::find(const void *address) const {
  std::lock_guard lock(mutex);
  const auto *byte = static_cast<const std::byte *>(address);
  auto next = blocks.upper_bound(const_cast<std::byte *>(byte));
  if (next == blocks.begin())
    return std::nullopt;
  auto &[begin, entry] = *std::prev(next);
  if (byte >= begin + entry.bytes)
    return std::nullopt;
  return Block{begin, entry.bytes};
}

void DeviceBlocks::beforeRemoval(void *begin, std::function<void()> action) {
  std::lock_guard lock(mutex);
  if (auto found = blocks.find(static_cast<std::byte *>(begin)); found != blocks.end())
    found->second.actions.push_back(std::move(action));
}

} // namespace sheaf::rt::cuda
