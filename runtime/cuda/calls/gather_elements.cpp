// The call `gather_elements`: single elements along one dim, chosen by indices of the result's shape.
#include "runtime/abi/calls.h"
#include "runtime/cuda/element_index.h"
#include "runtime/cuda/elementwise.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<ElementIndexPlan> plan = ElementIndexPlan::ofGather(site);
  if (!plan.isOk())
    return plan.takeStatus();
  const BufferShape &indices = site.ins[1].shape, &out = site.outs[0].shape;
  Result<ElementIndexParameters> parameters = toParameter(site, *plan, indices);
  if (!parameters.isOk())
    return parameters.takeStatus();
  BufferShape data = plan->indexed;
  data.dims[plan->dim] = out.dims[plan->dim];
  data.strides[plan->dim] = 0;
  Strided<3> space = toParameter(stridedSpace<3>({&data, &indices, &out}));
  Result<Elementwise> kernel = Elementwise::find(
      site, "gather_elements", "gather_elements" + std::to_string(out.elementBytes()), space.count);
  if (!kernel.isOk())
    return kernel.takeStatus();
  return makeIndexStep(
      [kernel = *kernel, space, parameters = *parameters](void *const *buffers, std::byte *) {
        return kernel(space, parameters, buffers[0], buffers[1], buffers[2]);
      },
      parameters->fault);
}

const RegisteredCall<bind> registered(
    {.name = abi::calls::gatherElements, .minIns = 2, .maxIns = 2, .takesStrides = true});

} // namespace
} // namespace sheaf::rt::cuda
