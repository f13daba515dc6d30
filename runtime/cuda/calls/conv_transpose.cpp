// The call `conv_transpose`: the input gradient of a convolution.
#include "runtime/abi/calls.h"
#include "runtime/cuda/conv_step.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<ConvPlan> plan = readConvolution(site, /*isTransposed=*/true);
  if (!plan.isOk())
    return plan.takeStatus();
  Result<ConvBuffers> buffers = findConvBuffers(site, *plan);
  if (!buffers.isOk())
    return buffers.takeStatus();
  BoundStep step = bindLibraryConv(site, *plan, ConvWanted::input);
  return step.isOk() && !*step ? bindConvKernel(site, *plan, *buffers) : std::move(step);
}

const RegisteredCall<bind>
    registered({.name = abi::calls::convTranspose, .minIns = 2, .maxIns = 3});

} // namespace
} // namespace sheaf::rt::cuda
