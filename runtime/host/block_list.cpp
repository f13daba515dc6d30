// Cuts tensors into blocks and puts them together again.
#include "runtime/host/block_list.h"

#include "runtime/abi/contract_strides.h"
#include "runtime/core/checked.h"

#include <cstring>

namespace sheaf::rt::host {

Result<BlockList> BlockList::make(const BufferShape &tensor, int64_t dim,
                                  const std::vector<abi::Shard> &shards, int64_t block) {
  auto cutDim = static_cast<size_t>(dim);
  int64_t elementBytes = tensor.elementBytes();
  BufferShape blockShape = tensor;
  blockShape.dims[cutDim] = block;
  std::optional<int64_t> elements = checkedElements(blockShape.dims);
  std::optional<int64_t> bytes = elements ? checkedMultiply(*elements, elementBytes) : std::nullopt;
  if (!bytes || !checkedMultiply(*bytes, static_cast<int64_t>(shards.size())))
    return Status::invalid(shards.size(), " blocks of ", blockShape.str(), " are too large");
  blockShape.strides = abi::rowMajorStrides(blockShape.dims);

  BlockList list;
  list.bytesPerBlock = static_cast<size_t>(*bytes);
  for (size_t i = 0; i < shards.size(); ++i) {
    BufferShape inTensor = tensor, inBlock = blockShape;
    inTensor.dims[cutDim] = inBlock.dims[cutDim] = shards[i].extent;
    int64_t offset = shards[i].begin * tensor.strides[cutDim] * elementBytes;
    bool hasPadding = shards[i].extent < block;
    list.isSame &= !hasPadding && static_cast<size_t>(offset) == i * list.bytesPerBlock;
    list.blocks.push_back(
        {StridedCopy(inTensor, inBlock), StridedCopy(inBlock, inTensor), offset, hasPadding});
  }
  // Several blocks alternate in memory when a dim before the cut one has more than one element.
  for (size_t before = 0; before < cutDim && shards.size() > 1; ++before)
    list.isSame &= tensor.dims[before] == 1;
  return list;
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
