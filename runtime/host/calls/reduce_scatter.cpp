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
  bool isDirect = plan->blocks.isTensor || plan->collective.isAlone();
  size_t scratchBytes = isDirect ? 0 : plan->blocks.bytes();
  const BufferShape &out = site.outs[0].shape;
  return makeStep(
      [collective = plan->collective, blocks = BlockList(plan->blocks), kind = plan->kind,
       type = out.type, blockCount = static_cast<size_t>(out.elements())](
          void *const *buffers, std::byte *scratch) -> Status {
        const auto *in = static_cast<const std::byte *>(buffers[0]);
        auto *out = static_cast<std::byte *>(buffers[1]);
        if (collective.isAlone()) {
          blocks.pack(in, out);
          return {};
        }
        const std::byte *list = in;
        if (!blocks.isTensor()) {
          blocks.pack(in, scratch);
          list = scratch;
        }
        return collective.run([&](Group &group, const CollectiveSite &site) {
          return group.reduceScatter(site, list, out, blockCount, type, kind);
        });
      },
      scratchBytes);
}

const RegisteredCall registered({.name = abi::calls::reduceScatter}, bind);

} // namespace
} // namespace sheaf::rt::host
