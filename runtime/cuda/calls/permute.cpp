// The call `permute`: every rank of the mesh gets the value of one, or zeros.
#include "runtime/abi/collectives.h"
#include "runtime/core/collective_plan.h"
#include "runtime/cuda/collective_step.h"
#include "runtime/cuda/strided_copy.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<PermutePlan> plan = PermutePlan::bind(site);
  if (!plan.isOk())
    return plan.takeStatus();
  const BufferShape &in = site.ins[0].shape;
  Result<StridedCopy> copy = makeStridedCopy(site, in, site.outs[0].shape);
  if (!copy.isOk())
    return copy.takeStatus();
  auto bytes = static_cast<size_t>(in.elements() * in.elementBytes());
  return makeCollectiveStep(
      site, plan->collective,
      [copy = std::move(*copy), sources = std::move(plan->sources), bytes, queue = site.queue](
          const Collective &collective, void *const *buffers, std::byte *) -> Status {
        if (!collective.isAlone())
          return collective.enqueue([&](Group &group, const CollectiveSite &site) {
            return group.permute(site, buffers[0], buffers[1], bytes, sources);
          });
        if (sources[0] >= 0)
          return copy(buffers[0], buffers[1]);
        return bytes == 0 ? Status()
                          : statusOf(cudart().cudaMemsetAsync(buffers[1], 0, bytes, queue),
                                     "cudaMemsetAsync");
      });
}

const RegisteredCall<bind> registered({.name = abi::calls::permute});

} // namespace
} // namespace sheaf::rt::cuda
