// The call `gather`: slices of data along one dim, chosen by indices.
#include "runtime/abi/calls.h"
#include "runtime/core/gather_plan.h"
#include "runtime/cuda/elementwise.h"
#include "runtime/cuda/index_step.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<GatherPlan> plan = GatherPlan::make(site);
  if (!plan.isOk())
    return plan.takeStatus();
  Result<IndexReader> index = IndexReader::make(site, site.ins[1].shape);
  if (!index.isOk())
    return index.takeStatus();
  GatherParameters parameters{
      .outer = toParameter(plan->outer),
      .after = toParameter(stridedSpace<1>({&plan->after})),
      .numBefore = plan->numBefore,
      .numIndices = plan->numIndices,
      .extent = plan->extent,
      .dimStep = plan->dimStep,
      .bound = plan->whole.empty() ? plan->extent : plan->whole[0],
      .index = index->type,
      .fault = index->fault,
  };
  const BufferShape &out = site.outs[0].shape;
  Result<Elementwise> kernel = Elementwise::find(
      site, "gather", "gather" + std::to_string(out.elementBytes()), out.elements());
  if (!kernel.isOk())
    return kernel.takeStatus();
  return makeIndexStep(
      [kernel = *kernel, parameters](void *const *buffers, std::byte *) {
        return kernel(parameters, buffers[0], buffers[1], buffers[2]);
      },
      index->fault);
}

const RegisteredCall<bind>
    registered({.name = abi::calls::gather, .minIns = 2, .maxIns = 2, .takesStrides = true});

} // namespace
} // namespace sheaf::rt::cuda
