// The call `conv`: convolutions with bias, residual and activation.
#include "runtime/abi/calls.h"
#include "runtime/cuda/conv_step.h"

namespace sheaf::rt::cuda {
namespace {

BoundStep bind(CudaCallSite &site) {
  ConvParams params = ConvParams::read(site.params, /*isTransposed=*/false);
  if (params.isPacked)
    return Status::invalid("weights_packed: a GPU packs no weights");
  BufferShape input = params.ordered(site.ins[0].shape);
  BufferShape result = params.ordered(site.outs[0].shape);
  Result<ConvPlan> plan = ConvPlan::make(std::move(params), input, site.ins[1].shape, result,
                                         /*isTransposed=*/false);
  if (!plan.isOk())
    return plan.takeStatus();
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
