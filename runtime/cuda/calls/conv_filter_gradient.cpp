// The call `conv_filter_gradient`: the gradient of a convolution with respect to its filter.
#include "runtime/abi/calls.h"
#include "runtime/core/element.h"
#include "runtime/cuda/conv_step.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<ConvPlan> plan = readFilterGradient(site);
  if (!plan.isOk())
    return plan.takeStatus();
  auto accept = [](auto) { return Status(); };
  if (Status status = visitFloat<Status>(plan->filter.type, accept); !status.isOk())
    return status;
  BoundStep step = bindLibraryConv(site, *plan, ConvWanted::filter);
  return step.isOk() && !*step ? bindFilterGradientKernel(site, *plan) : std::move(step);
}

const RegisteredCall<bind>
    registered({.name = abi::calls::convFilterGradient, .minIns = 2, .maxIns = 2});

} // namespace
} // namespace sheaf::rt::cuda
