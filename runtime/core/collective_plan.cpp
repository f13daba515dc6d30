// Reads and checks collectives.
#include "runtime/core/collective_plan.h"

#include "runtime/core/checked.h"
#include "runtime/core/dim_check.h"

namespace sheaf::rt {

Result<AllReducePlan> AllReducePlan::bind(CallSite &site) {
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  Result<RankAxes> axes = readAxes(site);
  Result<CombineKind> kind = readCombineKind(site, in.type);
  if (!axes.isOk())
    return axes.takeStatus();
  if (!kind.isOk())
    return kind.takeStatus();
  if (Status status = checkSameBut(in, out, {}); !status.isOk())
    return status;
  int64_t bytes = in.elements() * in.elementBytes();
  Result<Collective> collective =
      Collective::bind(site, *axes, abi::allReduceTraffic(axes->size, bytes));
  if (!collective.isOk())
    return collective.takeStatus();
  return AllReducePlan{*collective, *kind};
}

Result<AllGatherPlan> AllGatherPlan::bind(CallSite &site) {
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
  auto shards = gatheredShards(*axes, out.dims[cutDim], in.dims[cutDim]);
  if (!shards.isOk())
    return shards.takeStatus();
  Result<BlockLayout> blocks = BlockLayout::make(out, dim, *shards, in.dims[cutDim]);
  if (!blocks.isOk())
    return blocks.takeStatus();
  auto blockBytes = static_cast<int64_t>(blocks->blockBytes);
  Result<Collective> collective =
      Collective::bind(site, *axes, abi::allGatherTraffic(axes->size, blockBytes));
  if (!collective.isOk())
    return collective.takeStatus();
  return AllGatherPlan{*collective, std::move(*blocks)};
}

Result<ReduceScatterPlan> ReduceScatterPlan::bind(CallSite &site) {
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  int64_t dim = site.params.integer("dim");
  Result<RankAxes> axes = readAxes(site);
  Result<CombineKind> kind = readCombineKind(site, in.type);
  if (!axes.isOk())
    return axes.takeStatus();
  if (!kind.isOk())
    return kind.takeStatus();
  if (Status status = checkDim(dim, in.rank()); !status.isOk())
    return status;
  if (Status status = checkSameBut(in, out, {dim}); !status.isOk())
    return status;
  auto cutDim = static_cast<size_t>(dim);
  std::vector<abi::Shard> shards = axes->shards(in.dims[cutDim]);
  if (Status status = checkBlock(shards, out.dims[cutDim]); !status.isOk())
    return status;
  Result<BlockLayout> blocks = BlockLayout::make(in, dim, shards, out.dims[cutDim]);
  if (!blocks.isOk())
    return blocks.takeStatus();
  auto blockBytes = static_cast<int64_t>(blocks->blockBytes);
  Result<Collective> collective =
      Collective::bind(site, *axes, abi::reduceScatterTraffic(axes->size, blockBytes));
  if (!collective.isOk())
    return collective.takeStatus();
  return ReduceScatterPlan{*collective, *kind, std::move(*blocks)};
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
