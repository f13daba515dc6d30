// The call `permute`: every rank of the mesh gets the value of one, or zeros.
#include "runtime/abi/collectives.h"
#include "runtime/core/collective_plan.h"
#include "runtime/host/registry.h"
#include "runtime/host/strided_copy.h"

#include <cstring>

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  Result<PermutePlan> plan = PermutePlan::bind(site);
  if (!plan.isOk())
    return plan.takeStatus();
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  auto bytes = static_cast<size_t>(in.elements() * in.elementBytes());
  return makeStep([plan = std::move(*plan), copy = StridedCopy(in, out),
                   bytes](void *const *buffers, std::byte *) -> Status {
    if (plan.collective.isAlone()) {
      if (plan.sources[0] < 0)
        std::memset(buffers[1], 0, bytes);
      else
        copy.run(static_cast<const std::byte *>(buffers[0]), static_cast<std::byte *>(buffers[1]));
      return {};
    }
    return plan.collective.run([&](Group &group, const CollectiveSite &site) {
      return group.permute(site, buffers[0], buffers[1], bytes, plan.sources);
    });
  });
}

const RegisteredCall registered({.name = abi::calls::permute}, bind);

} // namespace
} // namespace sheaf::rt::host
