// The call `pool`: the maximum, sum or mean of windows.
#include "runtime/abi/calls.h"
#include "runtime/core/element.h"
#include "runtime/core/pool_plan.h"
#include "runtime/cuda/elementwise.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<PoolGeometry> geometry = readPool(site);
  if (!geometry.isOk())
    return geometry.takeStatus();
  const BufferShape &out = site.outs[0].shape;
  bool isMax = geometry->kind == PoolKind::max;
  auto accept = [](auto) { return Status(); };
  if (Status status =
          isMax ? visitArithmetic<Status>(out.type, accept) : visitFloat<Status>(out.type, accept);
      !status.isOk())
    return status;
  Result<Elementwise> kernel = Elementwise::find(
      site, "pool", std::string(isMax ? "maximum_" : "sum_") + abi::nameOf(out.type),
      out.elements());
  if (!kernel.isOk())
    return kernel.takeStatus();
  return makeStep([kernel = *kernel, geometry = *geometry](void *const *buffers, std::byte *) {
    return kernel(geometry, buffers[0], buffers[1]);
  });
}

const RegisteredCall<bind> registered({.name = abi::calls::pool, .takesStrides = true});

} // namespace
} // namespace sheaf::rt::cuda
