// Describes buffers and activations to oneDNN.
#include "runtime/host/onednn/engine.h"

namespace sheaf::rt::host::onednn {

const dnnl::engine &engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

std::optional<dnnl::memory::data_type> dataType(abi::ElementType type) {
  switch (type) {
  case abi::ElementType::f32:
    return dnnl::memory::data_type::f32;
  case abi::ElementType::bf16:
    return dnnl::memory::data_type::bf16;
  case abi::ElementType::f16:
    return dnnl::memory::data_type::f16;
  case abi::ElementType::i32:
    return dnnl::memory::data_type::s32;
  case abi::ElementType::i8:
    return dnnl::memory::data_type::s8;
  case abi::ElementType::ui8:
    return dnnl::memory::data_type::u8;
  default:
    return std::nullopt;
  }
}

dnnl::memory::desc stridedDesc(abi::ElementType type, const std::vector<int64_t> &dims,
                               const std::vector<int64_t> &strides) {
  return dnnl::memory::desc(dims, *dataType(type), strides);
}

std::optional<dnnl::memory::desc> desc(const BufferShape &shape) {
  std::optional<dnnl::memory::data_type> type = dataType(shape.type);
  if (!type || shape.rank() == 0 || shape.rank() > DNNL_MAX_NDIMS)
    return std::nullopt;
  return dnnl::memory::desc(shape.dims, *type, shape.strides);
}

const PackedWeights *packedWeights(const Operand &operand) {
  return operand.packed ? static_cast<const PackedWeights *>(operand.packed->value.get()) : nullptr;
}

bool isExact(Activation activation) {
  return activation != Activation::relu && activation != Activation::sigmoid;
}

void appendActivation(dnnl::post_ops &operations, Activation activation) {
  auto append = [&](dnnl::algorithm algorithm, float alpha = 0) {
    operations.append_eltwise(1, algorithm, alpha, 0);
  };
  switch (activation) {
  case Activation::none:
  case Activation::relu:
  case Activation::sigmoid: // See isExact.
    return;
  case Activation::geluErf:
    return append(dnnl::algorithm::eltwise_gelu_erf);
  case Activation::geluTanh:
    return append(dnnl::algorithm::eltwise_gelu_tanh);
  case Activation::silu:
    return append(dnnl::algorithm::eltwise_swish, 1);
  case Activation::tanh:
    return append(dnnl::algorithm::eltwise_tanh);
  }
}

} // namespace sheaf::rt::host::onednn
