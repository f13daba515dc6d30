// The call `reduce_scatter`: every rank gets its block of the combination of all.
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
  Result<BlockList> made = BlockList::make(in, dim, shards, out.dims[cutDim]);
  if (!made.isOk())
    return made.takeStatus();
  auto blockBytes = static_cast<int64_t>(made->blockBytes());
  Result<Collective> collective =
      Collective::bind(site, *axes, abi::reduceScatterTraffic(axes->size, blockBytes));
  if (!collective.isOk())
    return collective.takeStatus();
  bool isDirect = made->isTensor() || collective->isAlone();
  size_t scratchBytes = isDirect ? 0 : made->bytes();
  return makeStep(
      [collective = *collective, blocks = std::move(*made), kind = *kind, type = in.type,
       blockCount = static_cast<size_t>(out.elements())](void *const *buffers,
                                                         std::byte *scratch) -> Status {
        const auto *in = static_cast<const std::byte *>(buffers[0]);
        auto *out = static_cast<std::byte *>(buffers[1]);
        if (collective.isAlone()) {
          blocks.pack(in, out);
          return {};
        }
        const std::byte *list = in;
        if (!blocks.isTensor()) {
          blocks.pack(in, scratch);
          list = scratch;
        }
        return collective.run([&](Group &group, const CollectiveSite &site) {
          return group.reduceScatter(site, list, out, blockCount, type, kind);
        });
      },
      scratchBytes);
}

const RegisteredCall registered({.name = abi::calls::reduceScatter}, bind);

} // namespace
} // namespace sheaf::rt::host
