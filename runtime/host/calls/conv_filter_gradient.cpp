// The call `conv_filter_gradient`: the gradient of a convolution with respect to its filter.
#include "runtime/abi/calls.h"
#include "runtime/host/conv_filter_loops.h"
#include "runtime/host/onednn/convolution.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

Result<std::unique_ptr<Step>> bind(CallSite &site) {
  Result<ConvPlan> plan = readFilterGradient(site);
  if (!plan.isOk())
    return plan.takeStatus();
  if (auto step = onednn::makeFilterGradient(*plan))
    return step;
  return makeConvFilterLoops(*plan);
}

const RegisteredCall registered({.name = abi::calls::convFilterGradient, .minIns = 2, .maxIns = 2},
                                bind);

} // namespace
} // namespace sheaf::rt::host
