// Decodes and encodes small floats by integer arithmetic.
#include "runtime/core/small_float.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sheaf::rt {

ExactNumber ExactNumber::fromDouble(double value) {
  ExactNumber number;
  number.isNegative = std::signbit(value);
  if (std::isnan(value)) {
    number.kind = Kind::nan;
  } else if (std::isinf(value)) {
    number.kind = Kind::infinity;
  } else if (value != 0) {
    constexpr int precision = 53;
    double fraction = std::frexp(std::fabs(value), &number.exponent);
    number.significand = static_cast<uint64_t>(std::ldexp(fraction, precision));
    number.exponent -= precision;
  }
  return number;
}

double ExactNumber::toDouble() const {
  double magnitude = kind == Kind::nan ? NAN
                     : kind == Kind::infinity
                         ? INFINITY
                         : std::ldexp(static_cast<double>(significand), exponent);
  return isNegative ? -magnitude : magnitude;
}

uint64_t ExactNumber::toUnsigned(int bits) const {
  uint64_t limit = bits == 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1;
  if (kind == Kind::nan || isNegative || significand == 0)
    return kind == Kind::infinity && !isNegative ? limit : 0;
  if (exponent < 0)
    return std::min(limit, exponent <= -64 ? 0 : significand >> -exponent);
  bool overflows = exponent >= 64 || std::countl_zero(significand) < exponent;
  return overflows ? limit : std::min(limit, significand << exponent);
}

int64_t ExactNumber::toInteger(int bits) const {
  if (kind == Kind::nan)
    return 0;
  ExactNumber magnitude = *this;
  magnitude.isNegative = false;
  uint64_t limit = (uint64_t(1) << (bits - 1)) - (isNegative ? 0 : 1);
  uint64_t value = std::min(limit, magnitude.toUnsigned(64));
  return static_cast<int64_t>(isNegative ? 0 - value : value);
}

const FloatFormat *FloatFormat::of(abi::ElementType type) {
  static constexpr FloatFormat f16{5, 10, 15, 0x7bff, 0x7c00, 0x7e00, true};
  static constexpr FloatFormat bf16{8, 7, 127, 0x7f7f, 0x7f80, 0x7fc0, true};
  static constexpr FloatFormat f8E5M2{5, 2, 15, 0x7b, 0x7c, 0x7e, true};
  static constexpr FloatFormat f8E4M3FN{4, 3, 7, 0x7e, std::nullopt, 0x7f, true};
  static constexpr FloatFormat f8E4M3FNUZ{4, 3, 8, 0x7f, std::nullopt, 0x80, false};
  static constexpr FloatFormat f8E5M2FNUZ{5, 2, 16, 0x7f, std::nullopt, 0x80, false};
  static constexpr FloatFormat f4E2M1FN{2, 1, 1, 0x7, std::nullopt, std::nullopt, true};
  switch (type) {
  case abi::ElementType::f16:
    return &f16;
  case abi::ElementType::bf16:
    return &bf16;
  case abi::ElementType::f8E5M2:
    return &f8E5M2;
  case abi::ElementType::f8E4M3FN:
    return &f8E4M3FN;
  case abi::ElementType::f8E4M3FNUZ:
    return &f8E4M3FNUZ;
  case abi::ElementType::f8E5M2FNUZ:
    return &f8E5M2FNUZ;
  case abi::ElementType::f4E2M1FN:
    return &f4E2M1FN;
  default:
    return nullptr;
  }
}

ExactNumber FloatFormat::decode(uint32_t bits) const {
  uint32_t signBit = uint32_t(1) << (exponentBits + mantissaBits);
  uint32_t magnitude = bits & (signBit - 1);
  ExactNumber number;
  number.isNegative = (bits & signBit) != 0;
  // Without a negative zero its bits are the one NaN.
  if (!hasNegativeZero && bits == signBit)
    return {ExactNumber::Kind::nan, false, 0, 0};
  if (magnitude > maxFinite) {
    number.kind =
        infinity && magnitude == *infinity ? ExactNumber::Kind::infinity : ExactNumber::Kind::nan;
    return number;
  }
  auto biased = static_cast<int>(magnitude >> mantissaBits);
  number.significand = magnitude & ((uint32_t(1) << mantissaBits) - 1);
  if (biased > 0)
    number.significand |= uint32_t(1) << mantissaBits;
  number.exponent = std::max(biased, 1) - bias - mantissaBits;
  return number;
}

namespace {

/// `significand * 2^-shift`, rounded to nearest even.
uint64_t shiftRounded(uint64_t significand, int shift) {
  if (shift <= 0)
    return significand << -shift;
  if (shift > 64)
    return 0;
  uint64_t whole = shift == 64 ? 0 : significand >> shift;
  uint64_t half = uint64_t(1) << (shift - 1);
  uint64_t rest = shift == 64 ? significand : significand & (2 * half - 1);
  bool isUp = rest > half || (rest == half && (whole & 1));
  return whole + isUp;
}

} // namespace

uint32_t FloatFormat::encode(const ExactNumber &number, bool isSaturating) const {
  uint32_t signBit = uint32_t(1) << (exponentBits + mantissaBits);
  uint32_t sign = number.isNegative ? signBit : 0;
  // Where NaN takes the place of negative zero it has no sign; where there is none, -0 stands for it.
  uint32_t nanBits = !nan ? signBit : hasNegativeZero ? *nan | sign : *nan;
  if (number.kind == ExactNumber::Kind::nan)
    return nanBits;
  uint64_t bits = uint64_t(maxFinite) + 1; // for infinity: past the largest
  if (number.kind == ExactNumber::Kind::finite) {
    if (number.significand == 0)
      return hasNegativeZero ? sign : 0;
    int top = 63 - std::countl_zero(number.significand);
    // The exponent of the value, or that of the smallest normal one where it is smaller.
    int exponent = std::max(number.exponent + top, 1 - bias);
    if (exponent <= bias + 1) {
      uint64_t mantissa =
          shiftRounded(number.significand, exponent - mantissaBits - number.exponent);
      // The mantissa's leading one counts as 1 in the exponent, so this also carries.
      bits = (static_cast<uint64_t>(exponent + bias - 1) << mantissaBits) + mantissa;
    }
  }
  if (bits > maxFinite) {
    if (isSaturating || !nan)
      bits = maxFinite;
    else if (!infinity)
      return nanBits;
    else
      bits = *infinity;
  }
  if (bits == 0 && !hasNegativeZero)
    return 0;
  return static_cast<uint32_t>(bits) | sign;
}

ExactNumber decodePower(uint8_t bits) {
  if (bits == 0xff)
    return {ExactNumber::Kind::nan, false, 0, 0};
  return {ExactNumber::Kind::finite, false, 1, bits - 127};
}

uint8_t encodePower(const ExactNumber &number, PowerRounding rounding, bool isSaturating) {
  // Defined on f32, as in ONNX: its exponent field, plus one when the rest rounds up.
  auto word = std::bit_cast<uint32_t>(static_cast<float>(number.toDouble()));
  uint32_t exponent = (word >> 23) & 0xff, fraction = word & 0x7fffff;
  if (exponent == 0xff)
    return 0xff;
  bool isUp = false;
  if (rounding == PowerRounding::up)
    isUp = fraction != 0;
  else if (rounding == PowerRounding::nearest)
    isUp = fraction > 0x400000 || (fraction == 0x400000 && exponent > 0);
  if (isUp && !(isSaturating && exponent == 0xfe))
    ++exponent;
  return static_cast<uint8_t>(exponent);
}

} // namespace sheaf::rt
