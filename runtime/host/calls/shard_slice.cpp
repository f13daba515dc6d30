// The call `shard_slice`: this rank's block of a value that it has whole.
#include "runtime/abi/collectives.h"
#include "runtime/core/collective_plan.h"
#include "runtime/host/block_list.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  Result<ShardSlicePlan> plan = ShardSlicePlan::bind(site);
  if (!plan.isOk())
    return plan.takeStatus();
  return makeStep([block = BlockList(plan->block)](void *const *buffers, std::byte *) {
    block.pack(static_cast<const std::byte *>(buffers[0]), static_cast<std::byte *>(buffers[1]));
  });
}

const RegisteredCall registered({.name = abi::calls::shardSlice}, bind);

} // namespace
} // namespace sheaf::rt::host
