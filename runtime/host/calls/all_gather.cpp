// The call `all_gather`: every rank gets the blocks of all.
#include "runtime/abi/collectives.h"
#include "runtime/host/cut_tensors.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  Result<RankAxes> axes = readAxes(site);
  if (!axes.isOk())
    return axes.takeStatus();
  auto shardsOf = [&](int64_t extent, int64_t block) {
    return gatheredShards(*axes, extent, block);
  };
  Result<CutTensors> made = CutTensors::read(site, site.outs, site.ins, shardsOf);
  if (!made.isOk())
    return made.takeStatus();
  Result<Collective> collective =
      Collective::bind(site, *axes, abi::allGatherTraffic(axes->size, made->blockBytes()));
  if (!collective.isOk())
    return collective.takeStatus();
  size_t scratchBytes = collective->isAlone() ? 0 : made->scratchBytes();
  return makeStep(
      [collective = *collective, tensors = std::move(*made),
       lists = std::vector<CollectiveBuffer>(site.ins.size())](void *const *buffers,
                                                               std::byte *scratch) mutable {
        void *const *outs = buffers + tensors.size();
        if (collective.isAlone()) {
          for (size_t i = 0; i < tensors.size(); ++i)
            tensors[i].blocks.unpack(static_cast<const std::byte *>(buffers[i]),
                                     static_cast<std::byte *>(outs[i]));
          return Status();
        }
        for (size_t i = 0; i < tensors.size(); ++i)
          lists[i] = {buffers[i], tensors[i].list(outs[i], scratch),
                      tensors[i].blocks.blockBytes()};
        Status status = collective.run(
            [&](Group &group, const CollectiveSite &site) { return group.allGather(site, lists); });
        for (size_t i = 0; status.isOk() && i < tensors.size(); ++i)
          if (!tensors[i].isDirect())
            tensors[i].blocks.unpack(static_cast<const std::byte *>(lists[i].out),
                                     static_cast<std::byte *>(outs[i]));
        return status;
      },
      scratchBytes);
}

const RegisteredCall registered({.name = abi::calls::allGather, .hasPairs = true}, bind);

} // namespace
} // namespace sheaf::rt::host
