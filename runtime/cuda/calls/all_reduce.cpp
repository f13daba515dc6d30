// The call `all_reduce`: every rank gets the combination of all.
#include "runtime/abi/collectives.h"
#include "runtime/core/collective_plan.h"
#include "runtime/cuda/collective_step.h"
#include "runtime/cuda/strided_copy.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<AllReducePlan> plan = AllReducePlan::bind(site);
  if (!plan.isOk())
    return plan.takeStatus();
  const BufferShape &in = site.ins[0].shape;
  Result<StridedCopy> copy = makeStridedCopy(site, in, site.outs[0].shape);
  if (!copy.isOk())
    return copy.takeStatus();
  return makeCollectiveStep(
      site, plan->collective,
      [copy = std::move(*copy), kind = plan->kind, type = in.type,
       count = static_cast<size_t>(in.elements())](const Collective &collective,
                                                   void *const *buffers, std::byte *) -> Status {
        if (collective.isAlone())
          return buffers[0] == buffers[1] ? Status() : copy(buffers[0], buffers[1]);
        return collective.enqueue([&](Group &group, const CollectiveSite &site) {
          return group.allReduce(site, buffers[0], buffers[1], count, type, kind);
        });
      });
}

const RegisteredCall<bind> registered({.name = abi::calls::allReduce, .inPlaceIn = 0});

} // namespace
} // namespace sheaf::rt::cuda
