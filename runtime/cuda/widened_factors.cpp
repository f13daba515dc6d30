// Widens operands of 8-bit floats into scratch memory.
#include "runtime/cuda/widened_factors.h"

#include "runtime/abi/planned_memory.h"

namespace sheaf::rt::cuda {
namespace {

/// A type that has every value of f8E4M3FN and f8E5M2, and that the library multiplies into `result`.
abi::ElementType widenedType(abi::ElementType result) {
  return result == abi::ElementType::f16 ? abi::ElementType::f16 : abi::ElementType::bf16;
}

/// A block of its own: its first bytes are aligned as those of any block.
Result<size_t> blockBytes(const BufferShape &shape) {
  std::optional<ByteExtent> extent = byteExtent(shape);
  constexpr int64_t most = int64_t(1) << 60;
  if (!extent || extent->end > most)
    return Status::invalid("in ", shape.str(), " is too large to be widened");
  return static_cast<size_t>(abi::blockBytes(extent->end));
}

} // namespace

Result<WidenedFactors> WidenedFactors::make(CudaCallSite &site, abi::ElementType result,
                                            const Scales &scales) {
  auto offset = static_cast<size_t>(abi::blockBytes(2 * sizeof(float)));
  std::vector<Factor> made;
  for (const Operand *operand : {&site.ins[0], &site.ins[1]}) {
    const BufferShape &narrow = operand->shape;
    BufferShape wide{widenedType(result), narrow.dims, narrow.strides};
    Result<size_t> bytes = blockBytes(wide);
    if (!bytes.isOk())
      return bytes.takeStatus();
    Strided<2> space = toParameter(stridedSpace<2>({&narrow, &wide}));
    Result<Elementwise> cast = Elementwise::find(site, "cast", "cast", space.count);
    if (!cast.isOk())
      return cast.takeStatus();
    made.push_back({wide, space, ElementFormat::of(narrow.type), ElementFormat::of(wide.type),
                    *cast, offset, *bytes});
    offset += *bytes;
  }
  Result<Elementwise> multiply = Elementwise::find(site, "contract", "multiply_scales", 1);
  if (!multiply.isOk())
    return multiply.takeStatus();
  return WidenedFactors({std::move(made[0]), std::move(made[1])}, *multiply, scales);
}

size_t WidenedFactors::bytes() const { return factors[1].offset + factors[1].bytes; }

Status WidenedFactors::fill(void *const *buffers, std::byte *block) const {
  for (size_t i = 0; i < 2; ++i)
    if (Status status = factors[i].cast(factors[i].space, factors[i].from, factors[i].to,
                                        CastRules(), buffers[i], factorAt(i, block));
        !status.isOk())
      return status;
  auto at = [&](std::optional<size_t> place) {
    return place ? static_cast<const float *>(buffers[*place]) : nullptr;
  };
  return multiply(at(scales.lhs), at(scales.rhs), static_cast<float>(scales.alpha),
                  static_cast<float>(scales.beta), scalesAt(block));
}

} // namespace sheaf::rt::cuda
