// Builds oneDNN matmul primitives for contractions.
#include "runtime/host/onednn/matmul.h"

#include "runtime/host/onednn/engine.h"
#include "runtime/host/onednn/primitive_step.h"
#include "runtime/host/parallel.h"

namespace sheaf::rt::host::onednn {
namespace {

using Desc = dnnl::memory::desc;
using Primitive = dnnl::matmul::primitive_desc;

/// True where the library's 8-bit products are exact: without VNNI it adds pairs in 16 bits, which saturate.
bool hasExactBytes() {
  return __builtin_cpu_supports("avx512vnni") || __builtin_cpu_supports("avxvnni");
}

bool hasTypes(const ContractPlan &plan) {
  using abi::ElementType;
  if (plan.lhsType == ElementType::f32)
    return plan.rhsType == ElementType::f32 && plan.resultType == ElementType::f32;
  if (plan.lhsType == ElementType::bf16)
    return plan.rhsType == ElementType::bf16 && __builtin_cpu_supports("avx512bw") &&
           (plan.resultType == ElementType::bf16 || plan.resultType == ElementType::f32);
  bool isBytes = plan.lhsType == ElementType::i8 || plan.lhsType == ElementType::ui8;
  // Sums of many products, or a bias, may leave what the library's f32 steps hold exactly; it then adds nothing else.
  return isBytes && plan.rhsType == ElementType::i8 && plan.resultType == ElementType::i32 &&
         hasExactBytes() && !plan.hasBias && !plan.hasAddend;
}

bool isSupported(const ContractPlan &plan) {
  return hasTypes(plan) && isExact(plan.activation) && plan.k > 0 &&
         plan.batch.size() + 2 <= DNNL_MAX_NDIMS;
}

enum class Side { lhs, rhs, result };

/// The descriptor of one operand: batch dims (1 where it is the same for all), rows, columns.
Desc operandDesc(const ContractPlan &plan, Side side) {
  std::vector<int64_t> dims, strides;
  for (const ContractPlan::BatchDim &dim : plan.batch) {
    int64_t stride = side == Side::lhs   ? dim.lhsStride
                     : side == Side::rhs ? dim.rhsStride
                                         : dim.resultStride;
    dims.push_back(stride == 0 ? 1 : dim.extent);
    strides.push_back(stride == 0 ? 1 : stride);
  }
  switch (side) {
  case Side::lhs:
    dims.insert(dims.end(), {plan.m, plan.k});
    strides.insert(strides.end(), {plan.lhsStrideM, plan.lhsStrideK});
    return stridedDesc(plan.lhsType, dims, strides);
  case Side::rhs:
    dims.insert(dims.end(), {plan.k, plan.n});
    strides.insert(strides.end(), {plan.rhsStrideK, plan.rhsStrideN});
    return stridedDesc(plan.rhsType, dims, strides);
  case Side::result:
    dims.insert(dims.end(), {plan.m, plan.n});
    strides.insert(strides.end(), {plan.resultStrideM, plan.resultStrideN});
    return stridedDesc(plan.resultType, dims, strides);
  }
  __builtin_unreachable();
}

Desc biasDesc(const ContractPlan &plan) {
  std::vector<int64_t> dims(plan.batch.size() + 1, 1), strides(plan.batch.size() + 1, plan.n);
  dims.push_back(plan.n);
  strides.push_back(1);
  return stridedDesc(plan.resultType, dims, strides);
}

bool isSmall(const ContractPlan &plan) {
  auto elements = [&](int64_t rows, int64_t columns) {
    return static_cast<double>(plan.batchCount()) * static_cast<double>(rows) *
           static_cast<double>(columns);
  };
  auto bytes = [&](abi::ElementType type) { return static_cast<double>(abi::bytesOf(type)); };
  return isForOneThread(2 * elements(plan.m, plan.n) * static_cast<double>(plan.k),
                        elements(plan.m, plan.k) * bytes(plan.lhsType) +
                            elements(plan.k, plan.n) * bytes(plan.rhsType) +
                            elements(plan.m, plan.n) * bytes(plan.resultType));
}

/// The primitive, and which of its arguments are the bias and the addend.
struct Build {
  Primitive primitive;
  int biasArgument = DNNL_ARG_BIAS;
  int addendArgument = 0;
};

Build build(const ContractPlan &plan, const Desc &rhs, bool isAddendInPlace) {
  Build result;
  OneThread limit(isSmall(plan));
  dnnl::primitive_attr attributes = userScratchpad();
  dnnl::post_ops operations;
  // The library scales its own bias too, so beside a scale the bias is added afterwards.
  bool isOwnBias = plan.hasBias && plan.alpha == 1;
  if (plan.alpha != 1)
    attributes.set_output_scales(0, {static_cast<float>(plan.alpha)});
  auto addBinary = [&](const Desc &desc) {
    operations.append_binary(dnnl::algorithm::binary_add, desc);
    return DNNL_ARG_ATTR_MULTIPLE_POST_OP(operations.len() - 1) | DNNL_ARG_SRC_1;
  };
  if (plan.hasBias && !isOwnBias)
    result.biasArgument = addBinary(biasDesc(plan));
  if (plan.hasAddend && isAddendInPlace)
    operations.append_sum(1);
  else if (plan.hasAddend)
    result.addendArgument = addBinary(operandDesc(plan, Side::result));
  appendActivation(operations, plan.activation);
  attributes.set_post_ops(operations);

  Desc lhs = operandDesc(plan, Side::lhs), destination = operandDesc(plan, Side::result);
  dnnl::matmul::desc operation = isOwnBias
                                     ? dnnl::matmul::desc(lhs, rhs, biasDesc(plan), destination)
                                     : dnnl::matmul::desc(lhs, rhs, destination);
  result.primitive = Primitive(operation, attributes, engine());
  return result;
}

} // namespace

Desc plainRhs(const ContractPlan &plan) { return operandDesc(plan, Side::rhs); }

std::optional<Desc> preferredRhs(const ContractPlan &plan) {
  if (!isSupported(plan))
    return std::nullopt;
  Desc plain = plainRhs(plan);
  Desc any(plain.dims(), plain.data_type(), dnnl::memory::format_tag::any);
  return build(plan, any, /*isAddendInPlace=*/false).primitive.weights_desc();
}

std::unique_ptr<Step> makeMatmul(const ContractPlan &plan, const ContractBuffers &buffers,
                                 const Desc *packedRhs) {
  if (!isSupported(plan))
    return nullptr;
  Desc rhs = packedRhs ? *packedRhs : plainRhs(plan);
  Build built = build(plan, rhs, buffers.isAddendInPlace);
  std::vector<PrimitiveStep::Binding> bindings = {
      {DNNL_ARG_SRC, operandDesc(plan, Side::lhs), buffers.lhs},
      {DNNL_ARG_WEIGHTS, rhs, buffers.rhs},
      {DNNL_ARG_DST, operandDesc(plan, Side::result), buffers.result}};
  if (plan.hasBias)
    bindings.push_back({built.biasArgument, biasDesc(plan), buffers.bias});
  if (plan.hasAddend && !buffers.isAddendInPlace)
    bindings.push_back({built.addendArgument, operandDesc(plan, Side::result), buffers.addend});
  OneThread limit(isSmall(plan));
  return std::make_unique<PrimitiveStep>(dnnl::matmul(built.primitive), std::move(bindings),
                                         built.primitive.scratchpad_desc(), isSmall(plan));
}

} // namespace sheaf::rt::host::onednn
