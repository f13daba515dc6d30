// Cuts tensors into blocks.
#include "runtime/core/block_layout.h"

#include "runtime/abi/contract_strides.h"
#include "runtime/core/checked.h"

namespace sheaf::rt {

Result<BlockLayout> BlockLayout::make(const BufferShape &tensor, int64_t dim,
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

  BlockLayout layout;
  layout.blockBytes = static_cast<size_t>(*bytes);
  for (size_t i = 0; i < shards.size(); ++i) {
    BufferShape inTensor = tensor, inBlock = blockShape;
    inTensor.dims[cutDim] = inBlock.dims[cutDim] = shards[i].extent;
    int64_t offset = shards[i].begin * tensor.strides[cutDim] * elementBytes;
    bool hasPadding = shards[i].extent < block;
    layout.isTensor &= !hasPadding && static_cast<size_t>(offset) == i * layout.blockBytes;
    layout.blocks.push_back({std::move(inTensor), std::move(inBlock), offset, hasPadding});
  }
  // Several blocks alternate in memory when a dim before the cut one has more than one element.
  for (size_t before = 0; before < cutDim && shards.size() > 1; ++before)
    layout.isTensor &= tensor.dims[before] == 1;
  return layout;
}

} // namespace sheaf::rt
