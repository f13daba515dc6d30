// A dense tensor as the list of blocks that one dim is cut into.
#ifndef SHEAF_RUNTIME_HOST_BLOCK_LIST_H
#define SHEAF_RUNTIME_HOST_BLOCK_LIST_H

#include "runtime/abi/shard.h"
#include "runtime/core/status.h"
#include "runtime/host/strided_copy.h"

#include <cstddef>

namespace sheaf::rt::host {

/// Moves elements between a tensor and its blocks, which lie one after another, each dense with the dims of the tensor
/// but for the cut dim. The room of a block that no element of the tensor fills is padding.
class BlockList {
public:
  /// `shards` say which part of dim `dim` each block is; all have room for `block` elements of it. Errors: the list is
  /// too large.
  static Result<BlockList> make(const BufferShape &tensor, int64_t dim,
                                const std::vector<abi::Shard> &shards, int64_t block);

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

  size_t bytesPerBlock = 0;
  bool isSame = true;
  std::vector<Block> blocks;
};

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_BLOCK_LIST_H
