// The call `reduce_scatter`: every rank gets its block of the combination of all.
#include "runtime/abi/collectives.h"
#include "runtime/core/collective_plan.h"
#include "runtime/host/block_list.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  Result<ReduceScatterPlan> plan = ReduceScatterPlan::bind(site);
  if (!plan.isOk())
    return plan.takeStatus();
  std::vector<BlockList> blocks;
  for (const CutTensor &tensor : plan->tensors)
    blocks.emplace_back(tensor.blocks);
  size_t scratchBytes = plan->collective.isAlone() ? 0 : plan->tensors.scratchBytes();
  return makeStep(
      [plan = std::move(*plan), blocks = std::move(blocks), type = site.ins[0].shape.type,
       lists = std::vector<CollectiveBuffer>(site.ins.size())](void *const *buffers,
                                                               std::byte *scratch) mutable {
        void *const *outs = buffers + blocks.size();
        for (size_t i = 0; i < blocks.size(); ++i) {
          auto *in = static_cast<std::byte *>(buffers[i]), *out = static_cast<std::byte *>(outs[i]);
          std::byte *list = plan.collective.isAlone() ? out : plan.tensors[i].list(in, scratch);
          if (list != in)
            blocks[i].pack(in, list);
          lists[i] = {list, out, plan.tensors[i].blockCount};
        }
        if (plan.collective.isAlone())
          return Status();
        return plan.collective.run([&](Group &group, const CollectiveSite &site) {
          return group.reduceScatter(site, lists, type, plan.kind);
        });
      },
      scratchBytes);
}

const RegisteredCall registered({.name = abi::calls::reduceScatter, .hasPairs = true}, bind);

} // namespace
} // namespace sheaf::rt::host
