// The call `scatter_elements`: single elements along one dim, at indices of the updates' shape.
#include "runtime/abi/calls.h"
#include "runtime/cuda/element_index.h"
#include "runtime/cuda/scatter_step.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<ElementIndexPlan> plan = ElementIndexPlan::ofScatter(site);
  if (!plan.isOk())
    return plan.takeStatus();
  const BufferShape &indices = site.ins[1].shape, &updates = site.ins[2].shape;
  Result<ElementIndexParameters> index = toParameter(site, *plan, indices);
  if (!index.isOk())
    return index.takeStatus();
  auto dim = static_cast<size_t>(plan->dim);
  Strided<1> lanes = toParameter(stridedSpace<1>({&indices}, plan->dim));
  CombineParameters parameters{
      .space = toParameter(stridedSpace<2>({&plan->indexed, &updates}, plan->dim)),
      .slice = 1,
      .placeStep = index->step,
      .updateStep = updates.strides[dim] * updates.elementBytes(),
      .kind = {},
  };
  Result<Elementwise> kernel =
      Elementwise::find(site, "scatter", "element_targets", updates.elements());
  if (!kernel.isOk())
    return kernel.takeStatus();
  int64_t step = indices.strides[dim] * indices.elementBytes();
  auto find = [kernel = *kernel, lanes, step,
               index = *index](const SortLanes &sorted, const void *indices, SortEntry *entries) {
    return kernel(sorted, lanes, step, index, indices, entries);
  };
  return bindScatter(site, {find, lanes.count, updates.dims[dim], index->fault}, parameters);
}

const RegisteredCall<bind>
    registered({.name = abi::calls::scatterElements, .minIns = 3, .maxIns = 3, .inPlaceIn = 0});

} // namespace
} // namespace sheaf::rt::cuda
