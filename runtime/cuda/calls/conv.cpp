// The call `conv`: convolutions with bias, residual and activation.
#include "runtime/abi/calls.h"
#include "runtime/cuda/conv_step.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  Result<ConvPlan> plan = readConvolution(site, /*isTransposed=*/false);
  if (!plan.isOk())
    return plan.takeStatus();
  if (plan->params.isPacked)
    return Status::invalid("weights_packed: a GPU packs no weights");
  Result<ConvBuffers> buffers = findConvBuffers(site, *plan);
  if (!buffers.isOk())
    return buffers.takeStatus();
  BoundStep step = bindLibraryConv(site, *plan, ConvWanted::output);
  return step.isOk() && !*step ? bindConvKernel(site, *plan, *buffers) : std::move(step);
}

const RegisteredCall<bind> registered({.name = abi::calls::conv,
                                       .minIns = 2,
                                       .maxIns = 4,
                                       .takesStrides = true,
                                       .checksInPlace = true});

} // namespace
} // namespace sheaf::rt::cuda
