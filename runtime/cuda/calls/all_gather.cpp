// The call `all_gather`: every rank gets the blocks of all.
#include "runtime/abi/collectives.h"
#include "runtime/core/collective_plan.h"
#include "runtime/cuda/block_list.h"
#include "runtime/cuda/collective_step.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<AllGatherPlan> plan = AllGatherPlan::bind(site);
  if (!plan.isOk())
    return plan.takeStatus();
  Result<std::vector<BlockList>> blocks = BlockList::makeAll(site, plan->tensors);
  if (!blocks.isOk())
    return blocks.takeStatus();
  Collective collective = plan->collective;
  size_t scratchBytes = collective.isAlone() ? 0 : plan->tensors.scratchBytes();
  return makeCollectiveStep(
      site, collective,
      [tensors = std::move(plan->tensors), blocks = std::move(*blocks),
       lists = std::vector<CollectiveBuffer>(site.ins.size())](
          const Collective &collective, void *const *buffers, std::byte *scratch) mutable {
        void *const *outs = buffers + blocks.size();
        Status status;
        if (collective.isAlone()) {
          for (size_t i = 0; status.isOk() && i < blocks.size(); ++i)
            status = blocks[i].unpack(static_cast<const std::byte *>(buffers[i]),
                                      static_cast<std::byte *>(outs[i]));
          return status;
        }
        for (size_t i = 0; i < blocks.size(); ++i)
          lists[i] = {buffers[i], tensors[i].list(outs[i], scratch), blocks[i].blockBytes()};
        status = collective.enqueue(
            [&](Group &group, const CollectiveSite &site) { return group.allGather(site, lists); });
        for (size_t i = 0; status.isOk() && i < blocks.size(); ++i)
          if (!blocks[i].isTensor())
            status = blocks[i].unpack(static_cast<const std::byte *>(lists[i].out),
                                      static_cast<std::byte *>(outs[i]));
        return status;
      },
      scratchBytes);
}

const RegisteredCall<bind> registered({.name = abi::calls::allGather, .hasPairs = true});

} // namespace
} // namespace sheaf::rt::cuda
