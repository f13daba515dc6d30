// The call `reduce_scatter`: every rank gets its block of the combination of all.
#include "runtime/abi/collectives.h"
#include "runtime/core/collective_plan.h"
#include "runtime/cuda/block_list.h"
#include "runtime/cuda/collective_step.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<ReduceScatterPlan> plan = ReduceScatterPlan::bind(site);
  if (!plan.isOk())
    return plan.takeStatus();
  Result<std::vector<BlockList>> blocks = BlockList::makeAll(site, plan->tensors);
  if (!blocks.isOk())
    return blocks.takeStatus();
  Collective collective = plan->collective;
  size_t scratchBytes = collective.isAlone() ? 0 : plan->tensors.scratchBytes();
  return makeCollectiveStep(
      site, collective,
      [tensors = std::move(plan->tensors), blocks = std::move(*blocks), kind = plan->kind,
       type = site.ins[0].shape.type, lists = std::vector<CollectiveBuffer>(site.ins.size())](
          const Collective &collective, void *const *buffers, std::byte *scratch) mutable {
        void *const *outs = buffers + blocks.size();
        for (size_t i = 0; i < blocks.size(); ++i) {
          auto *in = static_cast<std::byte *>(buffers[i]), *out = static_cast<std::byte *>(outs[i]);
          std::byte *list = collective.isAlone() ? out : tensors[i].list(in, scratch);
          if (list != in)
            if (Status status = blocks[i].pack(in, list); !status.isOk())
              return status;
          lists[i] = {list, out, tensors[i].blockCount};
        }
        if (collective.isAlone())
          return Status();
        return collective.enqueue([&](Group &group, const CollectiveSite &site) {
          return group.reduceScatter(site, lists, type, kind);
        });
      },
      scratchBytes);
}

const RegisteredCall<bind> registered({.name = abi::calls::reduceScatter, .hasPairs = true});

} // namespace
} // namespace sheaf::rt::cuda
