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
  Result<BlockList> blocks = BlockList::make(site, plan->blocks);
  if (!blocks.isOk())
    return blocks.takeStatus();
  bool isDirect = blocks->isTensor() || plan->collective.isAlone();
  size_t scratchBytes = isDirect ? 0 : blocks->bytes();
  const BufferShape &out = site.outs[0].shape;
  return makeCollectiveStep(
      site, plan->collective,
      [blocks = std::move(*blocks), kind = plan->kind, type = out.type,
       blockCount = static_cast<size_t>(out.elements())](
          const Collective &collective, void *const *buffers, std::byte *scratch) -> Status {
        const auto *in = static_cast<const std::byte *>(buffers[0]);
        auto *out = static_cast<std::byte *>(buffers[1]);
        if (collective.isAlone())
          return blocks.pack(in, out);
        const std::byte *list = in;
        if (!blocks.isTensor()) {
          if (Status status = blocks.pack(in, scratch); !status.isOk())
            return status;
          list = scratch;
        }
        return collective.enqueue([&](Group &group, const CollectiveSite &site) {
          return group.reduceScatter(site, list, out, blockCount, type, kind);
        });
      },
      scratchBytes);
}

const RegisteredCall<bind> registered({.name = abi::calls::reduceScatter});

} // namespace
} // namespace sheaf::rt::cuda
