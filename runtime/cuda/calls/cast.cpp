// The call `cast`: every element type to every other.
#include "runtime/abi/calls.h"
#include "runtime/core/small_float.h"
#include "runtime/cuda/elementwise.h"

namespace sheaf::rt::cuda {
namespace {

using abi::ElementType;

int32_t bitsOf(ElementType type) {
  switch (type) {
  case ElementType::i2:
  case ElementType::ui2:
    return 2;
  case ElementType::i4:
  case ElementType::ui4:
    return 4;
  default:
    return static_cast<int32_t>(8 * abi::bytesOf(type));
  }
}

bool isSigned(ElementType type) {
  switch (type) {
  case ElementType::i2:
  case ElementType::i4:
  case ElementType::i8:
  case ElementType::i16:
  case ElementType::i32:
  case ElementType::i64:
    return true;
  default:
    return false;
  }
}

/// Adds what floats of 32 and 64 bits are; smaller ones are known by tables.
void describeFloat(ElementFormat &format, int32_t exponentBits, int32_t mantissaBits) {
  format.exponentBits = exponentBits;
  format.mantissaBits = mantissaBits;
  format.bias = (1 << (exponentBits - 1)) - 1;
  format.hasInfinity = format.hasNan = format.hasNegativeZero = true;
  format.infinity = ((uint64_t(1) << exponentBits) - 1) << mantissaBits;
  format.maxFinite = format.infinity - 1;
  format.nan = format.infinity | (uint64_t(1) << (mantissaBits - 1));
}

ElementFormat formatOf(ElementType type) {
  ElementFormat format{};
  format.bytes = static_cast<int32_t>(abi::bytesOf(type));
  format.bits = bitsOf(type);
  format.isSigned = isSigned(type);
  if (type == ElementType::boolean)
    format.kind = ElementFormat::boolean;
  else if (type == ElementType::f8E8M0FNU)
    format.kind = ElementFormat::power;
  else
    format.kind = abi::isFloat(type) ? ElementFormat::floating : ElementFormat::integer;
  if (type == ElementType::f32)
    describeFloat(format, 8, 23);
  if (type == ElementType::f64)
    describeFloat(format, 11, 52);
  if (const FloatFormat *small = FloatFormat::of(type)) {
    format.exponentBits = small->exponentBits;
    format.mantissaBits = small->mantissaBits;
    format.bias = small->bias;
    format.hasInfinity = small->infinity.has_value();
    format.hasNan = small->nan.has_value();
    format.hasNegativeZero = small->hasNegativeZero;
    format.maxFinite = small->maxFinite;
    format.infinity = small->infinity.value_or(0);
    format.nan = small->nan.value_or(0);
  }
  return format;
}

BoundStep bind(CudaCallSite &site) {
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  bool isSaturating = site.params.flag("saturate", true);
  auto rounding = static_cast<CastParameters::PowerRounding>(
      site.params.choice("round", {"up", "down", "nearest"}, 0));
  if (in.dims != out.dims)
    return Status::invalid("in ", in.str(), " and out ", out.str(), " must have equal dims");
  CastParameters parameters{.space = toParameter(stridedSpace<2>({&in, &out})),
                            .from = formatOf(in.type),
                            .to = formatOf(out.type),
                            .isSaturating = isSaturating,
                            .powerRounding = rounding};
  Result<Elementwise> kernel = Elementwise::find(site, "cast", "cast", parameters.space.count);
  if (!kernel.isOk())
    return kernel.takeStatus();
  return makeStep([kernel = *kernel, parameters](void *const *buffers, std::byte *) {
    return kernel(parameters, buffers[0], buffers[1]);
  });
}

const RegisteredCall<bind> registered({.name = abi::calls::cast, .takesStrides = true});

} // namespace
} // namespace sheaf::rt::cuda
