// Convolves by kernels/conv.cu.
#include "runtime/cuda/conv_step.h"
#include "runtime/cuda/elementwise.h"
#include "runtime/cuda/kernels/conv_parameters.h"
#include "runtime/cuda/product_types.h"

namespace sheaf::rt::cuda {
namespace {

void copyThree(const ConvSpace::Three &from, int64_t (&to)[3]) {
  std::copy(from.begin(), from.end(), to);
}

ConvWindows windowsOf(const ConvPlan &plan) {
  ConvSpace space(plan);
  ConvWindows windows{};
  copyThree(space.input, windows.input);
  copyThree(space.result, windows.result);
  copyThree(space.window, windows.window);
  copyThree(space.strides, windows.strides);
  copyThree(space.dilations, windows.dilations);
  copyThree(space.low, windows.low);
  return windows;
}

ConvTensor tensorOf(const BufferShape &shape) {
  ConvTensor tensor{shape.strides[0], shape.strides[1], {}};
  copyThree(padTo3(shape.strides, shape.rank() - 2, 0), tensor.space);
  return tensor;
}

ConvParameters parametersOf(const ConvPlan &plan) {
  ConvParameters p{};
  p.windows = windowsOf(plan);
  p.input = tensorOf(plan.input);
  p.result = tensorOf(plan.result);
  p.numImages = plan.result.dims[0];
  p.numChannels = plan.result.dims[1];
  p.inputsPerGroup = plan.input.dims[1] / plan.params.groups;
  p.resultsPerGroup = plan.result.dims[1] / plan.params.groups;
  ConvTensor filter = tensorOf(plan.filter); // [o, c / groups, ..] of the forward convolution
  p.filterGroup = filter.outer * (plan.isTransposed ? p.inputsPerGroup : p.resultsPerGroup);
  p.filterResult = plan.isTransposed ? filter.channel : filter.outer;
  p.filterInput = plan.isTransposed ? filter.outer : filter.channel;
  std::copy(std::begin(filter.space), std::end(filter.space), p.filterSpace);
  p.isTransposed = plan.isTransposed;
  p.activation = static_cast<ActivationKind>(plan.params.activation);
  return p;
}

} // namespace

BoundStep bindConvKernel(CudaCallSite &site, const ConvPlan &plan, const ConvBuffers &buffers) {
  ProductTypes types{plan.result.type, plan.input.type, plan.filter.type};
  if (Status status = types.check(plan.params.activation); !status.isOk())
    return status;
  Result<Elementwise> kernel =
      Elementwise::find(site, "conv", types.kernelName("conv"), plan.result.elements());
  if (!kernel.isOk())
    return kernel.takeStatus();
  bool hasBias = plan.params.hasBias, hasResidual = plan.params.hasResidual;
  auto launch = [kernel = *kernel, parameters = parametersOf(plan), places = buffers, hasBias,
                 hasResidual](void *const *buffers, auto... types) {
    return kernel(parameters, types..., buffers[0], buffers[1],
                  hasBias ? buffers[places.bias] : nullptr,
                  hasResidual ? buffers[places.residual] : nullptr, buffers[places.result]);
  };
  if (types.isFloat())
    return makeStep([launch](void *const *buffers, std::byte *) { return launch(buffers); });
  return makeStep([launch, input = integerType(types.lhs), filter = integerType(types.rhs),
                   result = integerType(types.result)](void *const *buffers, std::byte *) {
    return launch(buffers, input, filter, result);
  });
}

BoundStep bindFilterGradientKernel(CudaCallSite &site, const ConvPlan &plan) {
  const BufferShape &filter = plan.filter;
  Result<Elementwise> kernel = Elementwise::find(
      site, "conv", std::string("filter_gradient_") + abi::nameOf(filter.type), filter.elements());
  if (!kernel.isOk())
    return kernel.takeStatus();
  ConvFilterParameters parameters{.windows = windowsOf(plan),
                                  .input = tensorOf(plan.input),
                                  .gradient = tensorOf(plan.result),
                                  .numImages = plan.input.dims[0],
                                  .numOutputs = filter.dims[0],
                                  .inputsPerGroup = filter.dims[1],
                                  .outputsPerGroup = filter.dims[0] / plan.params.groups};
  return makeStep([kernel = *kernel, parameters](void *const *buffers, std::byte *) {
    return kernel(parameters, buffers[0], buffers[1], buffers[2]);
  });
}

} // namespace sheaf::rt::cuda
