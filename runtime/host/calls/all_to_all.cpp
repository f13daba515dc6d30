// The call `all_to_all`: one dim becomes whole while another is cut.
#include "runtime/abi/collectives.h"
#include "runtime/core/collective_plan.h"
#include "runtime/host/block_list.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  Result<AllToAllPlan> plan = AllToAllPlan::bind(site);
  if (!plan.isOk())
    return plan.takeStatus();
  size_t sentScratch =
      plan->sent.isTensor
          ? 0
          : static_cast<size_t>(abi::blockBytes(static_cast<int64_t>(plan->sent.bytes())));
  size_t receivedScratch = plan->received.isTensor ? 0 : plan->received.bytes();
  return makeStep(
      [collective = plan->collective, sent = BlockList(plan->sent),
       received = BlockList(plan->received),
       sentScratch](void *const *buffers, std::byte *scratch) -> Status {
        const auto *in = static_cast<const std::byte *>(buffers[0]);
        auto *out = static_cast<std::byte *>(buffers[1]);
        if (!sent.isTensor()) {
          sent.pack(in, scratch);
          in = scratch;
        }
        if (collective.isAlone()) {
          received.unpack(in, out);
          return {};
        }
        std::byte *list = received.isTensor() ? out : scratch + sentScratch;
        Status status = collective.run([&](Group &group, const CollectiveSite &site) {
          return group.allToAll(site, in, list, sent.blockBytes());
        });
        if (status.isOk() && list != out)
          received.unpack(list, out);
        return status;
      },
      sentScratch + receivedScratch);
}

const RegisteredCall registered({.name = abi::calls::allToAll}, bind);

} // namespace
} // namespace sheaf::rt::host
