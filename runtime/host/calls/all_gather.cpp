// The call `all_gather`: every rank gets the blocks of all.
#include "runtime/abi/collectives.h"
#include "runtime/core/collective_plan.h"
#include "runtime/host/block_list.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  Result<AllGatherPlan> plan = AllGatherPlan::bind(site);
  if (!plan.isOk())
    return plan.takeStatus();
  std::vector<BlockList> blocks;
  for (const CutTensor &tensor : plan->tensors)
    blocks.emplace_back(tensor.blocks);
  size_t scratchBytes = plan->collective.isAlone() ? 0 : plan->tensors.scratchBytes();
  return makeStep(
      [plan = std::move(*plan), blocks = std::move(blocks),
       lists = std::vector<CollectiveBuffer>(site.ins.size())](void *const *buffers,
                                                               std::byte *scratch) mutable {
        void *const *outs = buffers + blocks.size();
        if (plan.collective.isAlone()) {
          for (size_t i = 0; i < blocks.size(); ++i)
            blocks[i].unpack(static_cast<const std::byte *>(buffers[i]),
                             static_cast<std::byte *>(outs[i]));
          return Status();
        }
        for (size_t i = 0; i < blocks.size(); ++i)
          lists[i] = {buffers[i], plan.tensors[i].list(outs[i], scratch), blocks[i].blockBytes()};
        Status status = plan.collective.run(
            [&](Group &group, const CollectiveSite &site) { return group.allGather(site, lists); });
        for (size_t i = 0; status.isOk() && i < blocks.size(); ++i)
          if (!blocks[i].isTensor())
            blocks[i].unpack(static_cast<const std::byte *>(lists[i].out),
                             static_cast<std::byte *>(outs[i]));
        return status;
      },
      scratchBytes);
}

const RegisteredCall registered({.name = abi::calls::allGather, .hasPairs = true}, bind);

} // namespace
} // namespace sheaf::rt::host
