// The call `shard_index`: this rank's place among those that hold the parts of a value.
#include "runtime/abi/collectives.h"
#include "runtime/core/collective_plan.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  Result<int64_t> index = readShardIndex(site);
  if (!index.isOk())
    return index.takeStatus();
  return makeStep([index = *index](void *const *buffers, std::byte *) {
    *static_cast<int64_t *>(buffers[0]) = index;
  });
}

const RegisteredCall registered({.name = abi::calls::shardIndex, .minIns = 0, .maxIns = 0}, bind);

} // namespace
} // namespace sheaf::rt::host
