// Moves elements into blocks and out of them.
#include "runtime/host/block_list.h"

#include <cstring>

namespace sheaf::rt::host {

BlockList::BlockList(const BlockLayout &layout)
    : bytesPerBlock(layout.blockBytes), isSame(layout.isTensor) {
  for (const BlockLayout::Block &block : layout.blocks)
    blocks.push_back({StridedCopy(block.inTensor, block.inBlock),
                      StridedCopy(block.inBlock, block.inTensor), block.tensorOffset,
                      block.hasPadding});
}

void BlockList::packBlock(size_t index, const std::byte *tensor, std::byte *block) const {
  const Block &entry = blocks[index];
  if (entry.hasPadding && bytesPerBlock > 0)
    std::memset(block, 0, bytesPerBlock);
  entry.pack.run(tensor + entry.tensorOffset, block);
}

void BlockList::pack(const std::byte *tensor, std::byte *list) const {
  for (size_t i = 0; i < blocks.size(); ++i)
    packBlock(i, tensor, list + i * bytesPerBlock);
}

void BlockList::unpack(const std::byte *list, std::byte *tensor) const {
  for (size_t i = 0; i < blocks.size(); ++i)
    blocks[i].unpack.run(list + i * bytesPerBlock, tensor + blocks[i].tensorOffset);
}

} // namespace sheaf::rt::host
