// The call `all_to_all`: one dim becomes whole while another is cut.
#include "runtime/abi/collectives.h"
#include "runtime/core/collective_plan.h"
#include "runtime/cuda/block_list.h"
#include "runtime/cuda/collective_step.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<AllToAllPlan> plan = AllToAllPlan::bind(site);
  if (!plan.isOk())
    return plan.takeStatus();
  Result<BlockList> sent = BlockList::make(site, plan->sent),
                    received = BlockList::make(site, plan->received);
  for (Result<BlockList> *list : {&sent, &received})
    if (!list->isOk())
      return list->takeStatus();
  size_t sentScratch =
      sent->isTensor() ? 0
                       : static_cast<size_t>(abi::blockBytes(static_cast<int64_t>(sent->bytes())));
  size_t receivedScratch = received->isTensor() ? 0 : received->bytes();
  return makeCollectiveStep(
      site, plan->collective,
      [sent = std::move(*sent), received = std::move(*received), sentScratch](
          const Collective &collective, void *const *buffers, std::byte *scratch) -> Status {
        const auto *in = static_cast<const std::byte *>(buffers[0]);
        auto *out = static_cast<std::byte *>(buffers[1]);
        if (!sent.isTensor()) {
          if (Status status = sent.pack(in, scratch); !status.isOk())
            return status;
          in = scratch;
        }
        if (collective.isAlone())
          return received.unpack(in, out);
        std::byte *list = received.isTensor() ? out : scratch + sentScratch;
        Status status = collective.enqueue([&](Group &group, const CollectiveSite &site) {
          return group.allToAll(site, in, list, sent.blockBytes());
        });
        return status.isOk() && list != out ? received.unpack(list, out) : std::move(status);
      },
      sentScratch + receivedScratch);
}

const RegisteredCall<bind> registered({.name = abi::calls::allToAll});

} // namespace
} // namespace sheaf::rt::cuda
