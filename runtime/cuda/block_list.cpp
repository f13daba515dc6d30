// Moves elements into blocks and out of them.
#include "runtime/cuda/block_list.h"

namespace sheaf::rt::cuda {

Result<BlockList> BlockList::make(CudaCallSite &site, const BlockLayout &layout) {
  BlockList list(layout, site.queue);
  for (const BlockLayout::Block &block : layout.blocks) {
    Result<StridedCopy> pack = makeStridedCopy(site, block.inTensor, block.inBlock),
                        unpack = makeStridedCopy(site, block.inBlock, block.inTensor);
    if (!pack.isOk())
      return pack.takeStatus();
    if (!unpack.isOk())
      return unpack.takeStatus();
    list.blocks.push_back(
        {std::move(*pack), std::move(*unpack), block.tensorOffset, block.hasPadding});
  }
  return list;
}

Result<std::vector<BlockList>> BlockList::makeAll(CudaCallSite &site, const CutTensors &tensors) {
  std::vector<BlockList> lists;
  for (const CutTensor &tensor : tensors) {
    Result<BlockList> list = make(site, tensor.blocks);
    if (!list.isOk())
      return list.takeStatus();
    lists.push_back(std::move(*list));
  }
  return lists;
}

Status BlockList::pack(const std::byte *tensor, std::byte *list) const {
  for (size_t i = 0; i < blocks.size(); ++i) {
    std::byte *block = list + i * bytesPerBlock;
    if (blocks[i].hasPadding && bytesPerBlock > 0) {
      cudaError_t error = cudart().cudaMemsetAsync(block, 0, bytesPerBlock, queue);
      if (Status status = statusOf(error, "cudaMemsetAsync"); !status.isOk())
        return status;
    }
    if (Status status = blocks[i].pack(tensor + blocks[i].tensorOffset, block); !status.isOk())
      return status;
  }
  return {};
}

Status BlockList::unpack(const std::byte *list, std::byte *tensor) const {
  for (size_t i = 0; i < blocks.size(); ++i)
    if (Status status = blocks[i].unpack(list + i * bytesPerBlock, tensor + blocks[i].tensorOffset);
        !status.isOk())
      return status;
  return {};
}

} // namespace sheaf::rt::cuda
