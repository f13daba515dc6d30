// The call `conv_transpose`: the input gradient of a convolution.
#include "runtime/abi/calls.h"
#include "runtime/host/conv_loops.h"
#include "runtime/host/onednn/convolution.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

Result<std::unique_ptr<Step>> bind(CallSite &site) {
  Result<ConvPlan> plan = readConvolution(site, /*isTransposed=*/true);
  if (!plan.isOk())
    return plan.takeStatus();
  Result<ConvBuffers> buffers = findConvBuffers(site, *plan);
  if (!buffers.isOk())
    return buffers.takeStatus();
  if (auto step = onednn::makeDeconvolution(*plan, *buffers))
    return step;
  return makeConvLoops(*plan);
}

const RegisteredCall registered({.name = abi::calls::convTranspose, .minIns = 2, .maxIns = 3},
                                bind);

} // namespace
} // namespace sheaf::rt::host
