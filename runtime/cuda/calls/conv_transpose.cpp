// The call `conv_transpose`: the input gradient of a convolution.
#include "runtime/abi/calls.h"
#include "runtime/cuda/conv_step.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  ConvParams params = ConvParams::read(site.params, /*isTransposed=*/true);
  Result<ConvPlan> plan = ConvPlan::make(std::move(params), site.ins[0].shape, site.ins[1].shape,
                                         site.outs[0].shape, /*isTransposed=*/true);
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
