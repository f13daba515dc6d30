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
  bool isDirect = plan->blocks.isTensor || plan->collective.isAlone();
  size_t scratchBytes = isDirect ? 0 : plan->blocks.bytes();
  return makeStep(
      [collective = plan->collective,
       blocks = BlockList(plan->blocks)](void *const *buffers, std::byte *scratch) -> Status {
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
