// The call `cumulative`: running sums and products along one dim.
#include "runtime/abi/calls.h"
#include "runtime/core/cumulative_plan.h"
#include "runtime/core/element.h"
#include "runtime/cuda/elementwise.h"
#include "runtime/cuda/kernels/lane_parameters.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<CumulativePlan> plan = CumulativePlan::make(site);
  if (!plan.isOk())
    return plan.takeStatus();
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  auto accept = [](auto) { return Status(); };
  if (Status status = visitArithmetic<Status>(in.type, accept); !status.isOk())
    return status;
  CumulativeParameters parameters{
      .lanes = toParameter(stridedSpace<2>({&in, &out}, plan->dim)),
      .extent = in.dims[plan->dim],
      .inStep = in.strides[plan->dim] * in.elementBytes(),
      .outStep = out.strides[plan->dim] * out.elementBytes(),
      .isSum = plan->isSum,
      .isExclusive = plan->isExclusive,
      .isReverse = plan->isReverse,
  };
  Result<Elementwise> kernel = Elementwise::find(
      site, "lanes", std::string("cumulative_") + abi::nameOf(in.type), parameters.lanes.count);
  if (!kernel.isOk())
    return kernel.takeStatus();
  return makeStep([kernel = *kernel, parameters](void *const *buffers, std::byte *) {
    return kernel(parameters, buffers[0], buffers[1]);
  });
}

const RegisteredCall<bind>
    registered({.name = abi::calls::cumulative, .takesStrides = true, .inPlaceIn = 0});

} // namespace
} // namespace sheaf::rt::cuda
