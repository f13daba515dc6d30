// Builds oneDNN convolution and deconvolution primitives.
#include "runtime/host/onednn/convolution.h"

#include "runtime/host/onednn/engine.h"
#include "runtime/host/onednn/primitive_step.h"
#include "runtime/host/parallel.h"

namespace sheaf::rt::host::onednn {
namespace {

using Desc = dnnl::memory::desc;

bool hasTypes(const ConvPlan &plan) {
  using abi::ElementType;
  ElementType input = plan.input.type, filter = plan.filter.type, result = plan.result.type;
  if (input == ElementType::f32)
    return filter == ElementType::f32 && result == ElementType::f32;
  return input == ElementType::bf16 && filter == ElementType::bf16 &&
         (result == ElementType::bf16 || result == ElementType::f32);
}

/// Empty tensors are for the loops: the library leaves their results unwritten.
bool isSupported(const ConvPlan &plan) {
  return hasTypes(plan) && isExact(plan.params.activation) && plan.input.elements() > 0 &&
         plan.filter.elements() > 0 && plan.result.elements() > 0;
}

bool isSmall(const ConvPlan &plan) {
  // Each element of the side with the channels of `o` takes one filter's worth of products.
  const BufferShape &sums = plan.isTransposed ? plan.input : plan.result;
  double products = static_cast<double>(sums.elements()) *
                    static_cast<double>(plan.filter.elements() / plan.filter.dims[0]);
  double bytes = 0;
  for (const BufferShape *shape : {&plan.input, &plan.filter, &plan.result})
    bytes += static_cast<double>(shape->elements() * shape->elementBytes());
  return isForOneThread(2 * products, bytes);
}

/// The library counts dilations from 0.
std::vector<int64_t> dilationsOf(const ConvPlan &plan) {
  std::vector<int64_t> dilations = plan.params.window.dilations;
  for (int64_t &dilation : dilations)
    --dilation;
  return dilations;
}

Desc biasDesc(const ConvPlan &plan) {
  return stridedDesc(plan.result.type, {plan.result.dims[1]}, {1});
}

/// Input or result.
Desc dataDesc(const BufferShape &shape) { return *desc(shape); }

dnnl::primitive_attr attributesOf(const ConvPlan &plan, const ConvBuffers &buffers,
                                  int &residualArgument) {
  dnnl::primitive_attr attributes = userScratchpad();
  dnnl::post_ops operations;
  if (plan.params.hasResidual && buffers.isResidualInPlace) {
    operations.append_sum(1);
  } else if (plan.params.hasResidual) {
    operations.append_binary(dnnl::algorithm::binary_add, dataDesc(plan.result));
    residualArgument = DNNL_ARG_ATTR_MULTIPLE_POST_OP(operations.len() - 1) | DNNL_ARG_SRC_1;
  }
  appendActivation(operations, plan.params.activation);
  attributes.set_post_ops(operations);
  return attributes;
}

dnnl::convolution_forward::primitive_desc build(const ConvPlan &plan, const Desc &filter,
                                                const dnnl::primitive_attr &attributes) {
  using Forward = dnnl::convolution_forward;
  const WindowParams &window = plan.params.window;
  auto make = [&](auto &&...operands) {
    return Forward::desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
                         operands..., window.strides, dilationsOf(plan), window.low, window.high);
  };
  Desc input = dataDesc(plan.input), result = dataDesc(plan.result);
  Forward::desc operation = plan.params.hasBias ? make(input, filter, biasDesc(plan), result)
                                                : make(input, filter, result);
  return Forward::primitive_desc(operation, attributes, engine());
}

/// True for the error of a combination that the library has no code for.
bool isUnimplemented(const dnnl::error &error) {
  return error.status == dnnl_unimplemented || error.status == dnnl_invalid_arguments;
}

/// The filter's dims and strides with the groups apart; the two channel dims swapped for a transposed one.
Desc filterDesc(const ConvPlan &plan) {
  std::vector<int64_t> dims = plan.filter.dims, strides = plan.filter.strides;
  dims[0] /= plan.params.groups;
  int64_t groupStride = strides[0] * dims[0];
  if (plan.isTransposed) {
    std::swap(dims[0], dims[1]);
    std::swap(strides[0], strides[1]);
  }
  if (plan.params.groups > 1) {
    dims.insert(dims.begin(), plan.params.groups);
    strides.insert(strides.begin(), groupStride);
  }
  return stridedDesc(plan.filter.type, dims, strides);
}

std::vector<PrimitiveStep::Binding> bindingsOf(const ConvPlan &plan, const ConvBuffers &buffers,
                                               const Desc &filter, int residualArgument) {
  std::vector<PrimitiveStep::Binding> bindings = {
      {DNNL_ARG_SRC, dataDesc(plan.input), 0},
      {DNNL_ARG_WEIGHTS, filter, 1},
      {DNNL_ARG_DST, dataDesc(plan.result), buffers.result}};
  if (plan.params.hasBias)
    bindings.push_back({DNNL_ARG_BIAS, biasDesc(plan), buffers.bias});
  if (plan.params.hasResidual && !buffers.isResidualInPlace)
    bindings.push_back({residualArgument, dataDesc(plan.result), buffers.residual});
  return bindings;
}

} // namespace

std::optional<Desc> plainFilter(const ConvPlan &plan) {
  if (!isSupported(plan))
    return std::nullopt;
  return filterDesc(plan);
}

std::optional<Desc> preferredFilter(const ConvPlan &plan) {
  if (!isSupported(plan))
    return std::nullopt;
  Desc plain = filterDesc(plan);
  OneThread limit(isSmall(plan));
  int residualArgument = 0;
  try {
    Desc any(plain.dims(), plain.data_type(), dnnl::memory::format_tag::any);
    return build(plan, any, attributesOf(plan, {}, residualArgument)).weights_desc();
  } catch (const dnnl::error &error) {
    if (isUnimplemented(error))
      return std::nullopt;
    throw;
  }
}

std::unique_ptr<Step> makeConvolution(const ConvPlan &plan, const ConvBuffers &buffers,
                                      const Desc *packedFilter) {
  std::optional<Desc> plain = plainFilter(plan);
  if (!plain)
    return nullptr;
  Desc filter = packedFilter ? *packedFilter : *plain;
  OneThread limit(isSmall(plan));
  int residualArgument = 0;
  try {
    auto primitive = build(plan, filter, attributesOf(plan, buffers, residualArgument));
    return std::make_unique<PrimitiveStep>(dnnl::convolution_forward(primitive),
                                           bindingsOf(plan, buffers, filter, residualArgument),
                                           primitive.scratchpad_desc(), isSmall(plan));
  } catch (const dnnl::error &error) {
    if (isUnimplemented(error))
      return nullptr;
    throw;
  }
}

std::unique_ptr<Step> makeDeconvolution(const ConvPlan &plan, const ConvBuffers &buffers) {
  if (!isSupported(plan))
    return nullptr;
  OneThread limit(isSmall(plan));
  using Forward = dnnl::deconvolution_forward;
  const WindowParams &window = plan.params.window;
  Desc input = dataDesc(plan.input), filter = filterDesc(plan), result = dataDesc(plan.result);
  auto make = [&](auto &&...operands) {
    return Forward::desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::deconvolution_direct,
                         operands..., window.strides, dilationsOf(plan), window.low, window.high);
  };
  int residualArgument = 0;
  try {
    Forward::desc operation = plan.params.hasBias ? make(input, filter, biasDesc(plan), result)
                                                  : make(input, filter, result);
    Forward::primitive_desc primitive(operation, attributesOf(plan, buffers, residualArgument),
                                      engine());
    return std::make_unique<PrimitiveStep>(Forward(primitive),
                                           bindingsOf(plan, buffers, filter, residualArgument),
                                           primitive.scratchpad_desc(), isSmall(plan));
  } catch (const dnnl::error &error) {
    if (isUnimplemented(error))
      return nullptr;
    throw;
  }
}

std::unique_ptr<Step> makeFilterGradient(const ConvPlan &plan) {
  if (!isSupported(plan))
    return nullptr;
  OneThread limit(isSmall(plan));
  using Forward = dnnl::convolution_forward;
  using Gradient = dnnl::convolution_backward_weights;
  const WindowParams &window = plan.params.window;
  Desc input = dataDesc(plan.input), filter = filterDesc(plan), result = dataDesc(plan.result);
  try {
    Forward::desc forward(dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct,
                          input, filter, result, window.strides, dilationsOf(plan), window.low,
                          window.high);
    Forward::primitive_desc hint(forward, userScratchpad(), engine());
    Gradient::desc operation(dnnl::algorithm::convolution_direct, input, filter, result,
                             window.strides, dilationsOf(plan), window.low, window.high);
    Gradient::primitive_desc primitive(operation, userScratchpad(), engine(), hint);
    std::vector<PrimitiveStep::Binding> bindings = {{DNNL_ARG_SRC, input, 0},
                                                    {DNNL_ARG_DIFF_DST, result, 1},
                                                    {DNNL_ARG_DIFF_WEIGHTS, filter, 2}};
    return std::make_unique<PrimitiveStep>(Gradient(primitive), std::move(bindings),
                                           primitive.scratchpad_desc(), isSmall(plan));
  } catch (const dnnl::error &error) {
    if (isUnimplemented(error))
      return nullptr;
    throw;
  }
}

} // namespace sheaf::rt::host::onednn
