// The call `conv`: convolutions with bias, residual and activation.
#include "runtime/abi/calls.h"
#include "runtime/host/conv_loops.h"
#include "runtime/host/onednn/convolution.h"
#include "runtime/host/onednn/engine.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

Result<std::unique_ptr<Step>> bind(CallSite &site) {
  Result<ConvPlan> plan = readConvolution(site, /*isTransposed=*/false);
  if (!plan.isOk())
    return plan.takeStatus();
  bool isPacked = plan->params.isPacked;
  for (size_t i = 0; i < site.ins.size(); ++i)
    if ((site.ins[i].packed != nullptr) != (i == 1 && isPacked))
      return Status::invalid("in ", i, " must", i == 1 && isPacked ? "" : " not",
                             " be a packed variable");
  Result<ConvBuffers> buffers = findConvBuffers(site, *plan);
  if (!buffers.isOk())
    return buffers.takeStatus();
  const onednn::PackedWeights *packed = onednn::packedWeights(site.ins[1]);
  if (isPacked && !packed)
    return Status::invalid("its packed variable has not been packed before it");
  bool hasLayout = packed && packed->desc;
  std::optional<dnnl::memory::desc> plain = onednn::plainFilter(*plan);
  if (hasLayout && (!plain || packed->desc->dims() != plain->dims()))
    return Status::invalid("its packed variable was packed for another conv");
  if (auto step = onednn::makeConvolution(*plan, *buffers, hasLayout ? &*packed->desc : nullptr))
    return step;
  if (hasLayout)
    return Status::invalid("its packed variable was packed for another conv");
  return makeConvLoops(*plan);
}

const RegisteredCall registered({.name = abi::calls::conv,
                                 .minIns = 2,
                                 .maxIns = 4,
                                 .takesStrides = true,
                                 .takesPacked = true,
                                 .checksInPlace = true},
                                bind);

} // namespace
} // namespace sheaf::rt::host
