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
  Result<BlockList> blocks = BlockList::make(site, plan->blocks);
  if (!blocks.isOk())
    return blocks.takeStatus();
  bool isDirect = blocks->isTensor() || plan->collective.isAlone();
  size_t scratchBytes = isDirect ? 0 : blocks->bytes();
  return makeCollectiveStep(
      site, plan->collective,
      [blocks = std::move(*blocks)](const Collective &collective, void *const *buffers,
                                    std::byte *scratch) -> Status {
        const auto *in = static_cast<const std::byte *>(buffers[0]);
        auto *out = static_cast<std::byte *>(buffers[1]);
        if (collective.isAlone())
          return blocks.unpack(in, out);
        std::byte *list = blocks.isTensor() ? out : scratch;
        Status status = collective.enqueue([&](Group &group, const CollectiveSite &site) {
          return group.allGather(site, in, list, blocks.blockBytes());
        });
        return status.isOk() && list != out ? blocks.unpack(list, out) : std::move(status);
      },
      scratchBytes);
}

const RegisteredCall<bind> registered({.name = abi::calls::allGather});

} // namespace
} // namespace sheaf::rt::cuda
