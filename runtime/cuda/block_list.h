// Cuts tensors into blocks and puts them together again.
#ifndef SHEAF_RUNTIME_CUDA_BLOCK_LIST_H
#define SHEAF_RUNTIME_CUDA_BLOCK_LIST_H

#include "runtime/core/cut_tensors.h"
#include "runtime/cuda/strided_copy.h"

namespace sheaf::rt::cuda {

/// Moves elements between a tensor and its blocks, in the stream of the call that it was made for.
class BlockList {
public:
  static Result<BlockList> make(CudaCallSite &site, const BlockLayout &layout);
  /// Of each tensor.
  static Result<std::vector<BlockList>> makeAll(CudaCallSite &site, const CutTensors &tensors);

  size_t blockBytes() const { return bytesPerBlock; }
  size_t bytes() const { return bytesPerBlock * blocks.size(); }
  /// True when the memory of the tensor is the list.
  bool isTensor() const { return isSame; }

  /// Writes all blocks; padding becomes 0.
  Status pack(const std::byte *tensor, std::byte *list) const;
  /// Writes the tensor.
  Status unpack(const std::byte *list, std::byte *tensor) const;

private:
  struct Block {
    StridedCopy pack, unpack;
    int64_t tensorOffset; ///< bytes
    bool hasPadding;
  };

  BlockList(const BlockLayout &layout, cudaStream_t queue)
      : bytesPerBlock(layout.blockBytes), isSame(layout.isTensor), queue(queue) {}

  size_t bytesPerBlock;
  bool isSame;
  cudaStream_t queue;
  std::vector<Block> blocks;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_BLOCK_LIST_H
