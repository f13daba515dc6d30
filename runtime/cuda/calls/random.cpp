// The call `random`: numbers that depend on the seeds and on where in the whole value they lie, and on nothing else.
#include "runtime/abi/calls.h"
#include "runtime/core/random_plan.h"
#include "runtime/cuda/elementwise.h"
#include "runtime/cuda/kernels/random_parameters.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<RandomPlan> plan = RandomPlan::make(site);
  if (!plan.isOk())
    return plan.takeStatus();
  RandomParameters parameters{.rows = {},
                              .extent = 1,
                              .first = plan->first,
                              .stream = plan->stream,
                              .distribution = plan->distribution,
                              .type = ElementFormat::of(site.outs[0].shape.type)};
  StridedSpace<1> &rows = plan->indices;
  if (!rows.dims.empty() && rows.dims.back().steps[0] == 1) {
    parameters.extent = rows.dims.back().extent;
    rows.dims.pop_back();
  }
  parameters.rows = toParameter(std::move(rows));
  // A row may begin with the last element of a block.
  auto perBlock = static_cast<int64_t>(plan->distribution.elementsPerBlock());
  int64_t blocksPerRow =
      parameters.extent == 0 ? 0 : (parameters.extent + perBlock - 2) / perBlock + 1;
  Result<Elementwise> kernel =
      Elementwise::find(site, "random", "draw", parameters.rows.count * blocksPerRow);
  if (!kernel.isOk())
    return kernel.takeStatus();
  return makeStep([kernel = *kernel, parameters, blocksPerRow, seedAt = plan->seedAt,
                   firstAt = plan->firstAt,
                   numIns = plan->numIns](void *const *buffers, std::byte *) {
    auto in = [&](std::optional<size_t> at) -> const void * { return at ? buffers[*at] : nullptr; };
    return kernel(parameters, blocksPerRow, in(seedAt), in(firstAt), buffers[numIns]);
  });
}

const RegisteredCall<bind> registered({.name = abi::calls::random, .minIns = 0, .maxIns = 2});

} // namespace
} // namespace sheaf::rt::cuda
