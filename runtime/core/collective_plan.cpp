// Reads and checks collectives.
#include "runtime/core/collective_plan.h"

#include "runtime/core/checked.h"
#include "runtime/core/dim_check.h"

namespace sheaf::rt {

Result<AllReducePlan> AllReducePlan::bind(CallSite &site) {
  Result<RankAxes> axes = readAxes(site);
  Result<CombineKind> kind = readCombineKind(site, site.ins[0].shape.type);
  if (!axes.isOk())
    return axes.takeStatus();
  if (!kind.isOk())
    return kind.takeStatus();
  if (Status status = checkOneType(site.ins); !status.isOk())
    return status;
  int64_t bytes = 0;
  for (size_t i = 0; i < site.ins.size(); ++i) {
    const BufferShape &in = site.ins[i].shape;
    if (Status status = checkSameBut(in, site.outs[i].shape, {}); !status.isOk())
      return status;
    auto sum = checkedAdd(bytes, in.elements() * in.elementBytes());
    if (!sum)
      return Status::invalid("all tensors together are too large");
    bytes = *sum;
  }
  Result<Collective> collective =
      Collective::bind(site, *axes, abi::allReduceTraffic(axes->size, bytes));
  if (!collective.isOk())
    return collective.takeStatus();
  return AllReducePlan{*collective, *kind};
}

Result<AllGatherPlan> AllGatherPlan::bind(CallSite &site) {
  Result<RankAxes> axes = readAxes(site);
  if (!axes.isOk())
    return axes.takeStatus();
  auto shardsOf = [&](int64_t extent, int64_t block) {
    return gatheredShards(*axes, extent, block);
  };
  Result<CutTensors> tensors = CutTensors::read(site, site.outs, site.ins, shardsOf);
  if (!tensors.isOk())
    return tensors.takeStatus();
  Result<Collective> collective =
      Collective::bind(site, *axes, abi::allGatherTraffic(axes->size, tensors->blockBytes()));
  if (!collective.isOk())
    return collective.takeStatus();
  return AllGatherPlan{*collective, std::move(*tensors)};
}

Result<ReduceScatterPlan> ReduceScatterPlan::bind(CallSite &site) {
  Result<RankAxes> axes = readAxes(site);
  Result<CombineKind> kind = readCombineKind(site, site.ins[0].shape.type);
  if (!axes.isOk())
    return axes.takeStatus();
  if (!kind.isOk())
    return kind.takeStatus();
  if (Status status = checkOneType(site.ins); !status.isOk())
    return status;
  auto shardsOf = [&](int64_t extent, int64_t block) -> Result<std::vector<abi::Shard>> {
    std::vector<abi::Shard> shards = axes->shards(extent);
    if (Status status = checkBlock(shards, block); !status.isOk())
      return status;
    return shards;
  };
  Result<CutTensors> tensors = CutTensors::read(site, site.ins, site.outs, shardsOf);
  if (!tensors.isOk())
    return tensors.takeStatus();
  Result<Collective> collective =
      Collective::bind(site, *axes, abi::reduceScatterTraffic(axes->size, tensors->blockBytes()));
  if (!collective.isOk())
    return collective.takeStatus();
  return ReduceScatterPlan{*collective, *kind, std::move(*tensors)};
}

Result<AllToAllPlan> AllToAllPlan::bind(CallSite &site) {
  Result<RankAxes> axes = readAxes(site);
  if (!axes.isOk())
    return axes.takeStatus();
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  int64_t gatherDim = site.params.integer("gather_dim"),
          splitDim = site.params.integer("split_dim");
  for (int64_t dim : {gatherDim, splitDim})
    if (Status status = checkDim(dim, in.rank()); !status.isOk())
      return status;
  if (gatherDim == splitDim)
    return Status::invalid("gather_dim and split_dim are both ", gatherDim);
  if (Status status = checkSameBut(in, out, {gatherDim, splitDim}); !status.isOk())
    return status;
  auto gather = static_cast<size_t>(gatherDim), split = static_cast<size_t>(splitDim);
  std::vector<abi::Shard> cut = axes->shards(in.dims[split]);
  if (Status status = checkBlock(cut, out.dims[split]); !status.isOk())
    return status;
  auto gathered = gatheredShards(*axes, out.dims[gather], in.dims[gather]);
  if (!gathered.isOk())
    return gathered.takeStatus();
  Result<BlockLayout> sent = BlockLayout::make(in, splitDim, cut, out.dims[split]);
  if (!sent.isOk())
    return sent.takeStatus();
  Result<BlockLayout> received = BlockLayout::make(out, gatherDim, *gathered, in.dims[gather]);
  if (!received.isOk())
    return received.takeStatus();
  if (!checkedMultiply(static_cast<int64_t>(sent->bytes()), axes->size))
    return Status::invalid("the whole value is too large");
  auto blockBytes = static_cast<int64_t>(sent->blockBytes);
  Result<Collective> collective =
      Collective::bind(site, *axes, abi::allToAllTraffic(axes->size, blockBytes));
  if (!collective.isOk())
    return collective.takeStatus();
  return AllToAllPlan{*collective, std::move(*sent), std::move(*received)};
}

Result<PermutePlan> PermutePlan::bind(CallSite &site) {
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  if (Status status = checkSameBut(in, out, {}); !status.isOk())
    return status;
  std::vector<int64_t> ranks = site.params.integers("sources");
  int numRanks = site.place->mesh().numRanks();
  if (ranks.size() != static_cast<size_t>(numRanks))
    return Status::invalid("parameter \"sources\" has ", ranks.size(), " ranks; the mesh has ",
                           numRanks);
  std::vector<int> sources;
  for (int64_t rank : ranks) {
    if (rank < -1 || rank >= numRanks)
      return Status::invalid("parameter \"sources\" names rank ", rank, " of ", numRanks);
    sources.push_back(static_cast<int>(rank));
  }
  int64_t bytes = in.elements() * in.elementBytes();
  Result<Collective> collective = Collective::bindAll(site, abi::permuteTraffic(bytes));
  if (!collective.isOk())
    return collective.takeStatus();
  return PermutePlan{*collective, std::move(sources)};
}

Result<ShardSlicePlan> ShardSlicePlan::bind(CallSite &site) {
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  int64_t dim = site.params.integer("dim");
  Result<RankAxes> axes = readAxes(site);
  if (!axes.isOk())
    return axes.takeStatus();
  if (Status status = checkDim(dim, in.rank()); !status.isOk())
    return status;
  if (Status status = checkSameBut(in, out, {dim}); !status.isOk())
    return status;
  auto cutDim = static_cast<size_t>(dim);
  std::vector<abi::Shard> shards = axes->shards(in.dims[cutDim]);
  if (Status status = checkBlock(shards, out.dims[cutDim]); !status.isOk())
    return status;
  abi::Shard own = shards[static_cast<size_t>(axes->index)];
  Result<BlockLayout> block = BlockLayout::make(in, dim, {own}, out.dims[cutDim]);
  if (!block.isOk())
    return block.takeStatus();
  return ShardSlicePlan{std::move(*block)};
}

Result<int64_t> readShardIndex(CallSite &site) {
  const BufferShape &out = site.outs[0].shape;
  Result<RankAxes> axes = readAxes(site);
  if (!axes.isOk())
    return axes.takeStatus();
  if (out.type != abi::ElementType::i64 || out.rank() != 0)
    return Status::invalid("the result must be i64[], not ", out.str());
  return axes->index;
}

} // namespace sheaf::rt
