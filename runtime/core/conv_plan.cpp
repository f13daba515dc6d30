// Reads and checks convolutions.
#include "runtime/core/conv_plan.h"

namespace sheaf::rt {

ConvParams ConvParams::read(Params &params, bool isTransposed) {
  ConvParams result;
  result.window = WindowParams::read(params);
  result.groups = params.integer("groups", 1);
  result.activation = readActivation(params);
  result.hasBias = params.flag("has_bias", false);
  result.allowsTf32 = params.flag("allow_tf32", false);
  if (!isTransposed) {
    result.hasResidual = params.flag("has_residual", false);
    result.isPacked = params.flag("weights_packed", false);
    result.isChannelsLast = params.flag("channels_last", false);
  }
  return result;
}

Result<ConvPlan> ConvPlan::make(ConvParams params, const BufferShape &input,
                                const BufferShape &filter, const BufferShape &result,
                                bool isTransposed) {
  const BufferShape &wide = isTransposed ? result : input, &narrow = isTransposed ? input : result;
  if (filter.rank() != input.rank() || filter.rank() < 3)
    return Status::invalid("filter ", filter.str(), " must have the rank of input ", input.str());
  params.window.window.assign(filter.dims.begin() + 2, filter.dims.end());
  if (Status status = params.window.check(wide, narrow); !status.isOk())
    return status;
  if (params.groups < 1 || wide.dims[1] != filter.dims[1] * params.groups ||
      filter.dims[0] % params.groups != 0 || narrow.dims[1] != filter.dims[0] ||
      wide.dims[0] != narrow.dims[0])
    return Status::invalid("input ", input.str(), ", filter ", filter.str(), " and result ",
                           result.str(), " do not fit together in ", params.groups, " groups");
  return ConvPlan{std::move(params), input, filter, result, isTransposed};
}

Result<ConvBuffers> findConvBuffers(const CallSite &site, const ConvPlan &plan) {
  ConvBuffers buffers;
  if (site.ins.size() != 2u + plan.params.hasBias + plan.params.hasResidual)
    return Status::invalid("it has ", site.ins.size(), " ins; has_bias is ", plan.params.hasBias,
                           " and has_residual ", plan.params.hasResidual);
  size_t next = 2;
  if (plan.params.hasBias) {
    const BufferShape &bias = site.ins[next].shape;
    buffers.bias = next++;
    if (bias.type != plan.result.type || !bias.isRowMajor() ||
        bias.dims != std::vector<int64_t>{plan.result.dims[1]})
      return Status::invalid("bias ", bias.str(), " must be ", abi::nameOf(plan.result.type), "[",
                             plan.result.dims[1], "]");
  }
  if (plan.params.hasResidual) {
    BufferShape residual = plan.params.ordered(site.ins[next].shape);
    buffers.residual = next;
    buffers.isResidualInPlace = site.isInPlace(next++, 0);
    if (residual.type != plan.result.type || residual.dims != plan.result.dims ||
        residual.strides != plan.result.strides)
      return Status::invalid("residual ", residual.str(),
                             " must have the shape and strides of result ", plan.result.str());
  }
  buffers.result = site.ins.size();
  for (size_t in = 0; in < site.ins.size(); ++in)
    if (site.isInPlace(in, 0) && !(buffers.isResidualInPlace && in == buffers.residual))
      return Status::invalid("the result is the memory of in ", in, ", which it still reads");
  return buffers;
}

Result<ConvPlan> readConvolution(CallSite &site, bool isTransposed) {
  ConvParams params = ConvParams::read(site.params, isTransposed);
  BufferShape input = params.ordered(site.ins[0].shape);
  BufferShape result = params.ordered(site.outs[0].shape);
  return ConvPlan::make(std::move(params), input, site.ins[1].shape, result, isTransposed);
}

Result<ConvPlan> readFilterGradient(CallSite &site) {
  ConvParams params;
  params.window = WindowParams::read(site.params);
  params.groups = site.params.integer("groups", 1);
  params.allowsTf32 = site.params.flag("allow_tf32", false);
  const BufferShape &input = site.ins[0].shape, &gradient = site.ins[1].shape;
  const BufferShape &filter = site.outs[0].shape;
  if (input.type != gradient.type || input.type != filter.type)
    return Status::invalid("input ", input.str(), ", gradient ", gradient.str(), " and filter ",
                           filter.str(), " must have one element type");
  return ConvPlan::make(std::move(params), input, filter, gradient, /*isTransposed=*/false);
}

ConvSpace::ConvSpace(const ConvPlan &plan) {
  size_t numDims = plan.input.rank() - 2;
  const WindowParams &params = plan.params.window;
  input = padTo3(plan.input.dims, numDims, 1);
  result = padTo3(plan.result.dims, numDims, 1);
  window = padTo3(params.window, numDims, 1);
  strides = padTo3(params.strides, numDims, 1);
  dilations = padTo3(params.dilations, numDims, 1);
  low = padTo3(params.low, numDims, 0);
}

} // namespace sheaf::rt
