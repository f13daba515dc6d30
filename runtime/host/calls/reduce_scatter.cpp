// The call `reduce_scatter`: every rank gets its block of the combination of all.
#include "runtime/abi/collectives.h"
#include "runtime/host/cut_tensors.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  abi::ElementType type = site.ins[0].shape.type;
  Result<RankAxes> axes = readAxes(site);
  Result<CombineKind> kind = readCombineKind(site, type);
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
  Result<CutTensors> made = CutTensors::read(site, site.ins, site.outs, shardsOf);
  if (!made.isOk())
    return made.takeStatus();
  Result<Collective> collective =
      Collective::bind(site, *axes, abi::reduceScatterTraffic(axes->size, made->blockBytes()));
  if (!collective.isOk())
    return collective.takeStatus();
  size_t scratchBytes = collective->isAlone() ? 0 : made->scratchBytes();
  return makeStep(
      [collective = *collective, tensors = std::move(*made), kind = *kind, type,
       lists = std::vector<CollectiveBuffer>(site.ins.size())](void *const *buffers,
                                                               std::byte *scratch) mutable {
        void *const *outs = buffers + tensors.size();
        for (size_t i = 0; i < tensors.size(); ++i) {
          auto *in = static_cast<std::byte *>(buffers[i]), *out = static_cast<std::byte *>(outs[i]);
          std::byte *list = collective.isAlone() ? out : tensors[i].list(in, scratch);
          if (list != in)
            tensors[i].blocks.pack(in, list);
          lists[i] = {list, out, tensors[i].blockCount};
        }
        if (collective.isAlone())
          return Status();
        return collective.run([&](Group &group, const CollectiveSite &site) {
          return group.reduceScatter(site, lists, type, kind);
        });
      },
      scratchBytes);
}

const RegisteredCall registered({.name = abi::calls::reduceScatter, .hasPairs = true}, bind);

} // namespace
} // namespace sheaf::rt::host
