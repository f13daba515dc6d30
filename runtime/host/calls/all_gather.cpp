// The call `all_gather`: every rank gets the blocks of all.
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
  auto shards = gatheredShards(*axes, out.dims[cutDim], in.dims[cutDim]);
  if (!shards.isOk())
    return shards.takeStatus();
  Result<BlockList> made = BlockList::make(out, dim, *shards, in.dims[cutDim]);
  if (!made.isOk())
    return made.takeStatus();
  auto blockBytes = static_cast<int64_t>(made->blockBytes());
  Result<Collective> collective =
      Collective::bind(site, *axes, abi::allGatherTraffic(axes->size, blockBytes));
  if (!collective.isOk())
    return collective.takeStatus();
  bool isDirect = made->isTensor() || collective->isAlone();
  size_t scratchBytes = isDirect ? 0 : made->bytes();
  return makeStep(
      [collective = *collective, blocks = std::move(*made)](void *const *buffers,
                                                            std::byte *scratch) -> Status {
        const auto *in = static_cast<const std::byte *>(buffers[0]);
        auto *out = static_cast<std::byte *>(buffers[1]);
        if (collective.isAlone()) {
          blocks.unpack(in, out);
          return {};
        }
        std::byte *list = blocks.isTensor() ? out : scratch;
        Status status = collective.run([&](Group &group, const CollectiveSite &site) {
          return group.allGather(site, in, list, blocks.blockBytes());
        });
        if (status.isOk() && list != out)
          blocks.unpack(list, out);
        return status;
      },
      scratchBytes);
}

const RegisteredCall registered({.name = abi::calls::allGather}, bind);

} // namespace
} // namespace sheaf::rt::host
