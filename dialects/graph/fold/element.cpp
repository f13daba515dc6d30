// The values behind the bits of an element.
#include "dialects/graph/fold/element.h"

#include "llvm/Support/MathExtras.h"
#include <bit>
#include <cmath>

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace sheaf::graph {

Element::Element(Type type) : width(type.getIntOrFloatBitWidth()) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    semantics = &floatType.getFloatSemantics();
    hasZero = !isa<Float8E8M0FNUType>(type);
    isFiniteOnly = isa<Float4E2M1FNType>(type);
  } else {
    isUnsignedInt = type.isUnsignedInteger() || type.isInteger(1);
  }
}

double Element::toDouble(Bits bits) const {
  if (width == 64)
    return std::bit_cast<double>(bits);
  if (width == 32)
    return std::bit_cast<float>(uint32_t(bits));
  APFloat value(*semantics, APInt(width, bits));
  if (value.isNaN()) // Some formats have a NaN that converts to infinity.
    return std::copysign(std::nan(""), value.isNegative() ? -1 : 1);
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

std::optional<Bits> Element::fromDouble(double value, bool saturate) const {
  if (width == 64)
    return std::bit_cast<Bits>(value);
  if (width == 32)
    return std::bit_cast<uint32_t>(float(value));
  return fromApFloat(APFloat(value), saturate);
}

std::optional<Bits> Element::fromApFloat(APFloat value, bool saturate) const {
  if (!hasZero)
    return std::nullopt;
  bool isNegative = value.isNegative();
  if (isFiniteOnly && value.isNaN())
    return Bits(1) << (width - 1); // Minus zero stands in for NaN.
  bool isOverflow = isFiniteOnly && value.isInfinity();
  if (!isOverflow) {
    bool wasNaN = value.isNaN(), losesInfo;
    value.convert(*semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    isOverflow = saturate && width <= 8 && !wasNaN && !value.isFinite();
  }
  if (isOverflow)
    value = APFloat::getLargest(*semantics, isNegative);
  return value.bitcastToAPInt().getZExtValue();
}

std::optional<Bits> Element::fromInteger(Bits extended, bool isUnsigned, bool saturate) const {
  // Through double, integers would be rounded twice.
  if (width == 64)
    return std::bit_cast<Bits>(isUnsigned ? double(extended) : double(int64_t(extended)));
  if (width == 32)
    return std::bit_cast<uint32_t>(isUnsigned ? float(extended) : float(int64_t(extended)));
  // Every 64-bit integer is exact in the 128-bit format.
  APFloat value(APFloat::IEEEquad());
  value.convertFromAPInt(APInt(64, extended), !isUnsigned, APFloat::rmNearestTiesToEven);
  return fromApFloat(value, saturate);
}

Bits Element::extend(Bits bits) const {
  return isUnsignedInt || width == 64 ? bits : Bits(llvm::SignExtend64(bits, width));
}

Bits Element::wrap(Bits bits) const { return bits & llvm::maskTrailingOnes<Bits>(width); }

std::optional<Bits> Element::extreme(double infinity) const {
  std::optional<Bits> bits = fromDouble(infinity);
  return bits && std::isinf(toDouble(*bits)) ? bits : fromDouble(infinity, /*saturate=*/true);
}

std::optional<Bits> Element::lowest() const {
  if (isFloat())
    return extreme(-INFINITY);
  return isUnsignedInt ? 0 : Bits(1) << (width - 1);
}

std::optional<Bits> Element::highest() const {
  if (isFloat())
    return extreme(INFINITY);
  return llvm::maskTrailingOnes<Bits>(isUnsignedInt ? width : width - 1);
}

/// Out of range, what the conversion instructions of x86 leave: the lowest value of 64 or 32 bits.
Bits Element::truncate(double value) const {
  constexpr double kTwo63 = 0x1p63, kTwo64 = 0x1p64;
  if (isUnsignedInt && width == 64 && value >= kTwo63 && value < kTwo64)
    return Bits(value);
  bool isNarrow = width < 32 || (width == 32 && !isUnsignedInt);
  double bound = isNarrow ? 0x1p31 : kTwo63;
  double whole = std::trunc(value);
  if (!(whole >= -bound && whole < bound))
    return wrap(isNarrow ? Bits(1) << 31 : Bits(1) << 63);
  return wrap(Bits(int64_t(whole)));
}

std::optional<Bits> Element::convert(const Element &from, Bits bits, bool saturate) const {
  bool isBoolean = !isFloat() && width == 1;
  if (from.isFloat()) {
    double value = from.toDouble(bits);
    if (isBoolean)
      return value != 0;
    return isFloat() ? fromDouble(value, saturate) : truncate(value);
  }
  if (isBoolean)
    return bits != 0;
  Bits extended = from.extend(bits);
  return isFloat() ? fromInteger(extended, from.isUnsigned(), saturate) : wrap(extended);
}

} // namespace sheaf::graph
