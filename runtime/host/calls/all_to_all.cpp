// The call `all_to_all`: one dim becomes whole while another is cut.
#include "runtime/abi/collectives.h"
#include "runtime/core/checked.h"
#include "runtime/core/collective.h"
#include "runtime/host/block_list.h"
#include "runtime/host/index.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

/// What is sent and what is received: lists of n blocks, each [the gather dim of in, the split dim of out, the rest].
struct Exchange {
  BlockList sent, received;

  size_t sentScratch() const { return sent.isTensor() ? 0 : alignedBytes(sent.bytes()); }
  size_t receivedScratch() const { return received.isTensor() ? 0 : received.bytes(); }

private:
  static size_t alignedBytes(size_t bytes) {
    return (bytes + memoryAlignment - 1) / memoryAlignment * memoryAlignment;
  }
};

Result<Exchange> makeExchange(CallSite &site, const RankAxes &axes) {
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
  std::vector<abi::Shard> cut = axes.shards(in.dims[split]);
  if (Status status = checkBlock(cut, out.dims[split]); !status.isOk())
    return status;
  auto gathered = gatheredShards(axes, out.dims[gather], in.dims[gather]);
  if (!gathered.isOk())
    return gathered.takeStatus();
  Result<BlockList> sent = BlockList::make(in, splitDim, cut, out.dims[split]);
  if (!sent.isOk())
    return sent.takeStatus();
  Result<BlockList> received = BlockList::make(out, gatherDim, *gathered, in.dims[gather]);
  if (!received.isOk())
    return received.takeStatus();
  return Exchange{std::move(*sent), std::move(*received)};
}

BoundStep bind(CallSite &site) {
  Result<RankAxes> axes = readAxes(site);
  if (!axes.isOk())
    return axes.takeStatus();
  Result<Exchange> exchange = makeExchange(site, *axes);
  if (!exchange.isOk())
    return exchange.takeStatus();
  auto blockBytes = static_cast<int64_t>(exchange->sent.blockBytes());
  if (!checkedMultiply(static_cast<int64_t>(exchange->sent.bytes()), axes->size))
    return Status::invalid("the whole value is too large");
  Result<Collective> collective =
      Collective::bind(site, *axes, abi::allToAllTraffic(axes->size, blockBytes));
  if (!collective.isOk())
    return collective.takeStatus();
  size_t scratchBytes = exchange->sentScratch() + exchange->receivedScratch();
  return makeStep(
      [collective = *collective, exchange = std::move(*exchange)](void *const *buffers,
                                                                  std::byte *scratch) -> Status {
        const auto *in = static_cast<const std::byte *>(buffers[0]);
        auto *out = static_cast<std::byte *>(buffers[1]);
        if (!exchange.sent.isTensor()) {
          exchange.sent.pack(in, scratch);
          in = scratch;
        }
        if (collective.isAlone()) {
          exchange.received.unpack(in, out);
          return {};
        }
        std::byte *list = exchange.received.isTensor() ? out : scratch + exchange.sentScratch();
        Status status = collective.run([&](Group &group, const CollectiveSite &site) {
          return group.allToAll(site, in, list, exchange.sent.blockBytes());
        });
        if (status.isOk() && list != out)
          exchange.received.unpack(list, out);
        return status;
      },
      scratchBytes);
}

const RegisteredCall registered({.name = abi::calls::allToAll}, bind);

} // namespace
} // namespace sheaf::rt::host
