// A dense tensor as the list of blocks that one dim is cut into.
#ifndef SHEAF_RUNTIME_CORE_BLOCK_LAYOUT_H
#define SHEAF_RUNTIME_CORE_BLOCK_LAYOUT_H

#include "runtime/abi/shard.h"
#include "runtime/core/buffer_shape.h"
#include "runtime/core/status.h"

#include <vector>

namespace sheaf::rt {

/// Blocks lie one after another, each dense with the dims of the tensor but for the cut dim. The room of a block that
/// no element of the tensor fills is padding.
struct BlockLayout {
  /// The elements that a block and the tensor share: equal dims.
  struct Block {
    BufferShape inTensor, inBlock;
    int64_t tensorOffset; ///< bytes
    bool hasPadding;
  };

  /// `shards` say which part of dim `dim` each block is; all have room for `block` elements of it. Errors: the list is
  /// too large.
  static Result<BlockLayout> make(const BufferShape &tensor, int64_t dim,
                                  const std::vector<abi::Shard> &shards, int64_t block);

  size_t bytes() const { return blockBytes * blocks.size(); }

  size_t blockBytes = 0;
  bool isTensor = true; ///< the memory of the tensor is the list
  std::vector<Block> blocks;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_BLOCK_LAYOUT_H
