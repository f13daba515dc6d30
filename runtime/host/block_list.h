// Cuts tensors into blocks and puts them together again.
#ifndef SHEAF_RUNTIME_HOST_BLOCK_LIST_H
#define SHEAF_RUNTIME_HOST_BLOCK_LIST_H

#include "runtime/core/block_layout.h"
#include "runtime/host/strided_copy.h"

#include <cstddef>

namespace sheaf::rt::host {

/// Moves elements between a tensor and its blocks.
class BlockList {
public:
  explicit BlockList(const BlockLayout &layout);

  size_t blockBytes() const { return bytesPerBlock; }
  size_t bytes() const { return bytesPerBlock * blocks.size(); }
  /// True when the memory of the tensor is the list.
  bool isTensor() const { return isSame; }

  /// Writes block `index`; padding becomes 0.
  void packBlock(size_t index, const std::byte *tensor, std::byte *block) const;
  /// Writes all blocks.
  void pack(const std::byte *tensor, std::byte *list) const;
  /// Writes the tensor.
  void unpack(const std::byte *list, std::byte *tensor) const;

private:
  struct Block {
    StridedCopy pack, unpack;
    int64_t tensorOffset; ///< bytes
    bool hasPadding;
  };

  size_t bytesPerBlock;
  bool isSame;
  std::vector<Block> blocks;
};

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_BLOCK_LIST_H
