// The call `all_reduce`: every rank gets the combination of all.
#include "runtime/abi/collectives.h"
#include "runtime/core/collective.h"
#include "runtime/host/registry.h"
#include "runtime/host/strided_copy.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  Result<RankAxes> axes = readAxes(site);
  Result<CombineKind> kind = readCombineKind(site, in.type);
  if (!axes.isOk())
    return axes.takeStatus();
  if (!kind.isOk())
    return kind.takeStatus();
  if (Status status = checkSameBut(in, out, {}); !status.isOk())
    return status;
  int64_t bytes = in.elements() * in.elementBytes();
  Result<Collective> collective =
      Collective::bind(site, *axes, abi::allReduceTraffic(axes->size, bytes));
  if (!collective.isOk())
    return collective.takeStatus();
  return makeStep([collective = *collective, copy = StridedCopy(in, out), kind = *kind,
                   type = in.type, count = static_cast<size_t>(in.elements())](
                      void *const *buffers, std::byte *) -> Status {
    if (collective.isAlone()) {
      if (buffers[0] != buffers[1])
        copy.run(static_cast<const std::byte *>(buffers[0]), static_cast<std::byte *>(buffers[1]));
      return {};
    }
    return collective.run([&](Group &group, const CollectiveSite &site) {
      return group.allReduce(site, buffers[0], buffers[1], count, type, kind);
    });
  });
}

const RegisteredCall registered({.name = abi::calls::allReduce, .inPlaceIn = 0}, bind);

} // namespace
} // namespace sheaf::rt::host
