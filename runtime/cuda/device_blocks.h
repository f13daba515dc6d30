// The blocks of GPU memory that this process has, for libraries that want to know of them.
#ifndef SHEAF_RUNTIME_CUDA_DEVICE_BLOCKS_H
#define SHEAF_RUNTIME_CUDA_DEVICE_BLOCKS_H

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace sheaf::rt::cuda {

/// All of them, of all devices: addresses are unique in a process. Any thread may call.
class DeviceBlocks {
public:
  struct Block {
    void *begin;
    size_t bytes;
  };

  static DeviceBlocks &get();

  void add(Block block);
  /// The block is about to be freed: what is to happen before is done now.
  void remove(void *begin);
  /// The block that holds the byte at `address`; none: no block of ours does.
  std::optional<Block> find(const void *address) const;
  /// Has `action` called before the block that begins there is freed.
  void beforeRemoval(void *begin, std::function<void()> action);

private:
  struct Entry {
    size_t bytes;
    std::vector<std::function<void()>> actions;
  };

  mutable std::mutex mutex;
  std::map<std::byte *, Entry> blocks;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_DEVICE_BLOCKS_H
