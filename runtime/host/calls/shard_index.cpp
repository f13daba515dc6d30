// The call `shard_index`: this rank's place among those that hold the parts of a value.
#include "runtime/abi/collectives.h"
#include "runtime/core/collective.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  const BufferShape &out = site.outs[0].shape;
  Result<RankAxes> axes = readAxes(site);
  if (!axes.isOk())
    return axes.takeStatus();
  if (out.type != abi::ElementType::i64 || out.rank() != 0)
    return Status::invalid("the result must be i64[], not ", out.str());
  return makeStep([index = axes->index](void *const *buffers, std::byte *) {
    *static_cast<int64_t *>(buffers[0]) = index;
  });
}

const RegisteredCall registered({.name = abi::calls::shardIndex, .minIns = 0, .maxIns = 0}, bind);

} // namespace
} // namespace sheaf::rt::host
