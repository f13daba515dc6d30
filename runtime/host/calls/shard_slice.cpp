// The call `shard_slice`: this rank's block of a value that it has whole.
#include "runtime/abi/collectives.h"
#include "runtime/core/collective.h"
#include "runtime/host/block_list.h"
#include "runtime/host/index.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
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
  Result<BlockList> made = BlockList::make(in, dim, {own}, out.dims[cutDim]);
  if (!made.isOk())
    return made.takeStatus();
  return makeStep([blocks = std::move(*made)](void *const *buffers, std::byte *) {
    blocks.pack(static_cast<const std::byte *>(buffers[0]), static_cast<std::byte *>(buffers[1]));
  });
}

const RegisteredCall registered({.name = abi::calls::shardSlice}, bind);

} // namespace
} // namespace sheaf::rt::host
