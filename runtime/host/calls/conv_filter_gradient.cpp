// The call `conv_filter_gradient`: the gradient of a convolution with respect to its filter.
#include "runtime/abi/calls.h"
#include "runtime/host/conv_filter_loops.h"
#include "runtime/host/onednn/convolution.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

Result<std::unique_ptr<Step>> bind(CallSite &site) {
  ConvParams params;
  params.window = WindowParams::read(site.params);
  params.groups = site.params.integer("groups", 1);
  const BufferShape &input = site.ins[0].shape, &gradient = site.ins[1].shape;
  const BufferShape &filter = site.outs[0].shape;
  if (input.type != gradient.type || input.type != filter.type)
    return Status::invalid("input ", input.str(), ", gradient ", gradient.str(), " and filter ",
                           filter.str(), " must have one element type");
  Result<ConvPlan> plan =
      ConvPlan::make(std::move(params), input, filter, gradient, /*isTransposed=*/false);
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
