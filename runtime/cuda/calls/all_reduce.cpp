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
  std::vector<StridedCopy> copies;
  std::vector<CollectiveBuffer> tensors;
  for (size_t i = 0; i < site.ins.size(); ++i) {
    Result<StridedCopy> copy = makeStridedCopy(site, site.ins[i].shape, site.outs[i].shape);
    if (!copy.isOk())
      return copy.takeStatus();
    copies.push_back(std::move(*copy));
    tensors.push_back({nullptr, nullptr, static_cast<size_t>(site.ins[i].shape.elements())});
  }
  return makeCollectiveStep(
      site, plan->collective,
      [copies = std::move(copies), tensors = std::move(tensors), kind = plan->kind,
       type = site.ins[0].shape.type](const Collective &collective, void *const *buffers,
                                      std::byte *) mutable {
        void *const *outs = buffers + tensors.size();
        for (size_t i = 0; i < tensors.size(); ++i) {
          tensors[i].in = buffers[i];
          tensors[i].out = outs[i];
          if (collective.isAlone() && buffers[i] != outs[i])
            if (Status status = copies[i](buffers[i], outs[i]); !status.isOk())
              return status;
        }
        if (collective.isAlone())
          return Status();
        return collective.enqueue([&](Group &group, const CollectiveSite &site) {
          return group.allReduce(site, tensors, type, kind);
        });
      });
}

const RegisteredCall<bind>
    registered({.name = abi::calls::allReduce, .hasPairs = true, .inPlaceIn = 0});

} // namespace
} // namespace sheaf::rt::cuda
