// The call `all_reduce`: every rank gets the combination of all.
#include "runtime/abi/collectives.h"
#include "runtime/core/checked.h"
#include "runtime/core/collective.h"
#include "runtime/host/registry.h"
#include "runtime/host/strided_copy.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  abi::ElementType type = site.ins[0].shape.type;
  Result<RankAxes> axes = readAxes(site);
  Result<CombineKind> kind = readCombineKind(site, type);
  if (!axes.isOk())
    return axes.takeStatus();
  if (!kind.isOk())
    return kind.takeStatus();
  if (Status status = checkOneType(site.ins); !status.isOk())
    return status;
  std::vector<StridedCopy> copies;
  std::vector<CollectiveBuffer> tensors;
  int64_t bytes = 0;
  for (size_t i = 0; i < site.ins.size(); ++i) {
    const BufferShape &in = site.ins[i].shape, &out = site.outs[i].shape;
    if (Status status = checkSameBut(in, out, {}); !status.isOk())
      return status;
    auto sum = checkedAdd(bytes, in.elements() * in.elementBytes());
    if (!sum)
      return Status::invalid("all tensors together are too large");
    bytes = *sum;
    copies.emplace_back(in, out);
    tensors.push_back({nullptr, nullptr, static_cast<size_t>(in.elements())});
  }
  Result<Collective> collective =
      Collective::bind(site, *axes, abi::allReduceTraffic(axes->size, bytes));
  if (!collective.isOk())
    return collective.takeStatus();
  return makeStep([collective = *collective, copies = std::move(copies),
                   tensors = std::move(tensors), kind = *kind,
                   type](void *const *buffers, std::byte *) mutable {
    void *const *outs = buffers + tensors.size();
    for (size_t i = 0; i < tensors.size(); ++i) {
      tensors[i].in = buffers[i];
      tensors[i].out = outs[i];
      if (collective.isAlone() && buffers[i] != outs[i])
        copies[i].run(static_cast<const std::byte *>(buffers[i]),
                      static_cast<std::byte *>(outs[i]));
    }
    if (collective.isAlone())
      return Status();
    return collective.run([&](Group &group, const CollectiveSite &site) {
      return group.allReduce(site, tensors, type, kind);
    });
  });
}

const RegisteredCall registered({.name = abi::calls::allReduce, .hasPairs = true, .inPlaceIn = 0},
                                bind);

} // namespace
} // namespace sheaf::rt::host
