// The call `all_reduce`: every rank gets the combination of all.
#include "runtime/abi/collectives.h"
#include "runtime/core/collective_plan.h"
#include "runtime/host/registry.h"
#include "runtime/host/strided_copy.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  Result<AllReducePlan> plan = AllReducePlan::bind(site);
  if (!plan.isOk())
    return plan.takeStatus();
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  return makeStep([plan = *plan, copy = StridedCopy(in, out), type = in.type,
                   count = static_cast<size_t>(in.elements())](void *const *buffers,
                                                               std::byte *) -> Status {
    if (plan.collective.isAlone()) {
      if (buffers[0] != buffers[1])
        copy.run(static_cast<const std::byte *>(buffers[0]), static_cast<std::byte *>(buffers[1]));
      return {};
    }
    return plan.collective.run([&](Group &group, const CollectiveSite &site) {
      return group.allReduce(site, buffers[0], buffers[1], count, type, plan.kind);
    });
  });
}

const RegisteredCall registered({.name = abi::calls::allReduce, .inPlaceIn = 0}, bind);

} // namespace
} // namespace sheaf::rt::host
