// Checks the tensors of a collective against each other and lays out scratch for their blocks.
#include "runtime/core/cut_tensors.h"

#include "runtime/core/checked.h"
#include "runtime/core/dim_check.h"

namespace sheaf::rt {

/// Lists begin at whole cache lines.
static constexpr size_t alignment = 64;

Result<CutTensors> CutTensors::read(CallSite &site, const std::vector<Operand> &wholes,
                                    const std::vector<Operand> &blocks, const ShardsOf &shardsOf) {
  std::vector<int64_t> dims = site.params.integers("dims");
  if (dims.size() != wholes.size())
    return Status::invalid("parameter \"dims\" has ", dims.size(), " dims for ", wholes.size(),
                           " tensors");
  CutTensors all;
  for (size_t i = 0; i < dims.size(); ++i) {
    Status status = checkDim(dims[i], wholes[i].shape.rank());
    if (status.isOk())
      status = checkSameBut(site.ins[i].shape, site.outs[i].shape, {dims[i]});
    if (status.isOk())
      status = all.add(wholes[i].shape, blocks[i].shape, dims[i], shardsOf);
    if (!status.isOk())
      return dims.size() == 1 ? std::move(status)
                              : std::move(status).annotated("tensor " + std::to_string(i));
  }
  return all;
}

Status CutTensors::add(const BufferShape &whole, const BufferShape &block, int64_t dim,
                       const ShardsOf &shardsOf) {
  auto cutDim = static_cast<size_t>(dim);
  auto shards = shardsOf(whole.dims[cutDim], block.dims[cutDim]);
  if (!shards.isOk())
    return shards.takeStatus();
  Result<BlockLayout> made = BlockLayout::make(whole, dim, *shards, block.dims[cutDim]);
  if (!made.isOk())
    return made.takeStatus();
  auto sum = checkedAdd(bytesOfBlocks, static_cast<int64_t>(made->blockBytes));
  if (!sum || !checkedMultiply(*sum, static_cast<int64_t>(shards->size())))
    return Status::invalid("all tensors together are too large");
  bytesOfBlocks = *sum;
  tensors.push_back({std::move(*made), static_cast<size_t>(block.elements()), bytesOfScratch});
  if (const CutTensor &tensor = tensors.back(); !tensor.blocks.isTensor)
    bytesOfScratch += (tensor.blocks.bytes() + alignment - 1) / alignment * alignment;
  return {};
}

} // namespace sheaf::rt
