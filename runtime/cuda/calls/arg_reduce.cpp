// The call `arg_reduce`: where the largest or smallest element of each lane is.
#include "runtime/abi/calls.h"
#include "runtime/core/arg_reduce_plan.h"
#include "runtime/core/element.h"
#include "runtime/cuda/elementwise.h"
#include "runtime/cuda/index_step.h"
#include "runtime/cuda/kernels/lane_parameters.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<ArgReducePlan> plan = ArgReducePlan::make(site);
  if (!plan.isOk())
    return plan.takeStatus();
  const BufferShape &in = site.ins[0].shape;
  auto accept = [](auto) { return Status(); };
  if (Status status = visitArithmetic<Status>(in.type, accept); !status.isOk())
    return status;
  Result<IntegerType> index = indexType(site.outs[0].shape);
  if (!index.isOk())
    return index.takeStatus();
  ArgReduceParameters parameters{
      .lanes = toParameter(stridedSpace<2>({&in, &plan->out}, plan->dim)),
      .extent = in.dims[plan->dim],
      .step = in.strides[plan->dim] * in.elementBytes(),
      .isMax = plan->isMax,
      .isLast = plan->isLast,
      .index = *index,
  };
  constexpr int64_t threadsPerLane = 32;
  Result<Elementwise> kernel =
      Elementwise::find(site, "lanes", std::string("arg_reduce_") + abi::nameOf(in.type),
                        parameters.lanes.count * threadsPerLane);
  if (!kernel.isOk())
    return kernel.takeStatus();
  return makeStep([kernel = *kernel, parameters](void *const *buffers, std::byte *) {
    return kernel(parameters, buffers[0], buffers[1]);
  });
}

const RegisteredCall<bind> registered({.name = abi::calls::argReduce, .takesStrides = true});

} // namespace
} // namespace sheaf::rt::cuda
