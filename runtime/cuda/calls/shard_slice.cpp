// The call `shard_slice`: this rank's block of a value that it has whole.
#include "runtime/abi/collectives.h"
#include "runtime/core/collective_plan.h"
#include "runtime/cuda/block_list.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<ShardSlicePlan> plan = ShardSlicePlan::bind(site);
  if (!plan.isOk())
    return plan.takeStatus();
  Result<BlockList> block = BlockList::make(site, plan->block);
  if (!block.isOk())
    return block.takeStatus();
  return makeStep([block = std::move(*block)](void *const *buffers, std::byte *) {
    return block.pack(static_cast<const std::byte *>(buffers[0]),
                      static_cast<std::byte *>(buffers[1]));
  });
}

const RegisteredCall<bind> registered({.name = abi::calls::shardSlice});

} // namespace
} // namespace sheaf::rt::cuda
