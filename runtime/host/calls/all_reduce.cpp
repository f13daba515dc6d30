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
  std::vector<StridedCopy> copies;
  std::vector<CollectiveBuffer> tensors;
  for (size_t i = 0; i < site.ins.size(); ++i) {
    copies.emplace_back(site.ins[i].shape, site.outs[i].shape);
    tensors.push_back({nullptr, nullptr, static_cast<size_t>(site.ins[i].shape.elements())});
  }
  return makeStep([plan = std::move(*plan), copies = std::move(copies),
                   tensors = std::move(tensors),
                   type = site.ins[0].shape.type](void *const *buffers, std::byte *) mutable {
    void *const *outs = buffers + tensors.size();
    for (size_t i = 0; i < tensors.size(); ++i) {
      tensors[i].in = buffers[i];
      tensors[i].out = outs[i];
      if (plan.collective.isAlone() && buffers[i] != outs[i])
        copies[i].run(static_cast<const std::byte *>(buffers[i]),
                      static_cast<std::byte *>(outs[i]));
    }
    if (plan.collective.isAlone())
      return Status();
    return plan.collective.run([&](Group &group, const CollectiveSite &site) {
      return group.allReduce(site, tensors, type, plan.kind);
    });
  });
}

const RegisteredCall registered({.name = abi::calls::allReduce, .hasPairs = true, .inPlaceIn = 0},
                                bind);

} // namespace
} // namespace sheaf::rt::host
