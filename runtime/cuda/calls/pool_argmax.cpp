// The call `pool_argmax`: the maximum of windows, and where in the whole input it is.
#include "runtime/abi/calls.h"
#include "runtime/core/element.h"
#include "runtime/core/pool_plan.h"
#include "runtime/cuda/elementwise.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<PoolArgmaxPlan> plan = PoolArgmaxPlan::make(site);
  if (!plan.isOk())
    return plan.takeStatus();
  const BufferShape &values = site.outs[0].shape;
  auto accept = [](auto) { return Status(); };
  if (Status status = visitArithmetic<Status>(values.type, accept); !status.isOk())
    return status;
  Result<Elementwise> kernel = Elementwise::find(
      site, "pool", std::string("argmax_") + abi::nameOf(values.type), values.elements());
  if (!kernel.isOk())
    return kernel.takeStatus();
  return makeStep([kernel = *kernel, plan = *plan](void *const *buffers, std::byte *) {
    return kernel(plan.geometry, plan.indices, plan.isColumnMajor, buffers[0], buffers[1],
                  buffers[2]);
  });
}

const RegisteredCall<bind>
    registered({.name = abi::calls::poolArgmax, .numOuts = 2, .takesStrides = true});

} // namespace
} // namespace sheaf::rt::cuda
