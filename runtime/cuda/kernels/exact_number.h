// Elements of every type as exact numbers, by integer arithmetic: the rules of runtime/core/convert.h.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_EXACT_NUMBER_H
#define SHEAF_RUNTIME_CUDA_KERNELS_EXACT_NUMBER_H

#include "runtime/cuda/kernels/device.h"
#include "runtime/cuda/kernels/parameters.h"

namespace sheaf::rt::cuda {

/// significand * 2^exponent, or one of the special values.
struct ExactNumber {
  enum Kind : int32_t { finite, infinity, nan };
  Kind kind;
  bool isNegative;
  uint64_t significand;
  int32_t exponent;
};

DEVICE uint64_t lowBits(int count) {
  return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
}

/// The low `bits` bits of `value`, with the sign carried up where there is one.
DEVICE uint64_t wrapInteger(uint64_t value, int bits, bool isSigned) {
  int unused = 64 - bits;
  uint64_t shifted = value << unused;
  return isSigned ? static_cast<uint64_t>(static_cast<int64_t>(shifted) >> unused)
                  : shifted >> unused;
}

/// `significand * 2^-shift`, rounded to nearest even.
DEVICE uint64_t shiftRounded(uint64_t significand, int shift) {
  if (shift <= 0)
    return significand << -shift;
  if (shift > 64)
    return 0;
  uint64_t whole = shift == 64 ? 0 : significand >> shift;
  uint64_t half = uint64_t(1) << (shift - 1);
  uint64_t rest = significand & lowBits(shift);
  return whole + (rest > half || (rest == half && (whole & 1)));
}

DEVICE ExactNumber decodeFloat(const ElementFormat &format, uint64_t bits) {
  uint64_t signBit = uint64_t(1) << (format.exponentBits + format.mantissaBits);
  uint64_t magnitude = bits & (signBit - 1);
  ExactNumber number{ExactNumber::finite, (bits & signBit) != 0, 0, 0};
  // Without a negative zero its bits are the one NaN.
  if (!format.hasNegativeZero && bits == signBit)
    return {ExactNumber::nan, false, 0, 0};
  if (magnitude > format.maxFinite) {
    number.kind = format.hasInfinity && magnitude == format.infinity ? ExactNumber::infinity
                                                                     : ExactNumber::nan;
    return number;
  }
  auto biased = static_cast<int32_t>(magnitude >> format.mantissaBits);
  number.significand = magnitude & lowBits(format.mantissaBits);
  if (biased > 0)
    number.significand |= uint64_t(1) << format.mantissaBits;
  number.exponent = (biased > 1 ? biased : 1) - format.bias - format.mantissaBits;
  return number;
}

DEVICE uint64_t encodeFloat(const ElementFormat &format, const ExactNumber &number,
                            bool isSaturating) {
  uint64_t signBit = uint64_t(1) << (format.exponentBits + format.mantissaBits);
  uint64_t sign = number.isNegative ? signBit : 0;
  // Where NaN takes the place of negative zero it has no sign; where there is none, -0 stands for it.
  uint64_t nanBits = !format.hasNan           ? signBit
                     : format.hasNegativeZero ? format.nan | sign
                                              : format.nan;
  if (number.kind == ExactNumber::nan)
    return nanBits;
  uint64_t bits = format.maxFinite + 1; // for infinity: past the largest
  if (number.kind == ExactNumber::finite) {
    if (number.significand == 0)
      return format.hasNegativeZero ? sign : 0;
    int top = 63 - __builtin_clzll(number.significand);
    // The exponent of the value, or that of the smallest normal one where it is smaller.
    int exponent = number.exponent + top;
    if (exponent < 1 - format.bias)
      exponent = 1 - format.bias;
    if (exponent <= format.bias + 1) {
      uint64_t mantissa =
          shiftRounded(number.significand, exponent - format.mantissaBits - number.exponent);
      // The mantissa's leading one counts as 1 in the exponent, so this also carries.
      bits = (static_cast<uint64_t>(exponent + format.bias - 1) << format.mantissaBits) + mantissa;
    }
  }
  if (bits > format.maxFinite) {
    if (isSaturating || !format.hasNan)
      bits = format.maxFinite;
    else if (!format.hasInfinity)
      return nanBits;
    else
      bits = format.infinity;
  }
  if (bits == 0 && !format.hasNegativeZero)
    return 0;
  return bits | sign;
}

/// Truncated and clamped to `bits` bits; NaN is 0.
DEVICE uint64_t clampInteger(const ExactNumber &number, int bits, bool isSigned) {
  if (number.kind == ExactNumber::nan || (number.isNegative && !isSigned))
    return 0;
  uint64_t limit =
      isSigned ? (uint64_t(1) << (bits - 1)) - (number.isNegative ? 0 : 1) : lowBits(bits);
  uint64_t value = limit;
  if (number.kind == ExactNumber::finite) {
    if (number.significand == 0)
      value = 0;
    else if (number.exponent < 0)
      value = number.exponent <= -64 ? 0 : number.significand >> -number.exponent;
    else if (number.exponent <= __builtin_clzll(number.significand))
      value = number.significand << number.exponent;
    if (value > limit)
      value = limit;
  }
  return number.isNegative ? 0 - value : value;
}

/// f8E8M0FNU, 2^(bits - 127), 255 is NaN: f32's exponent field, plus one when the rest rounds up.
DEVICE uint64_t encodePower(const ExactNumber &number, const CastParameters &cast) {
  constexpr ElementFormat f32{ElementFormat::floating,
                              4,
                              32,
                              true,
                              8,
                              23,
                              127,
                              true,
                              true,
                              true,
                              0x7f7fffff,
                              0x7f800000,
                              0x7fc00000};
  uint64_t word = encodeFloat(f32, number, /*isSaturating=*/false);
  uint64_t exponent = (word >> 23) & 0xff, fraction = word & 0x7fffff;
  if (exponent == 0xff)
    return 0xff;
  bool isUp = cast.powerRounding == CastParameters::up && fraction != 0;
  if (cast.powerRounding == CastParameters::nearest)
    isUp = fraction > 0x400000 || (fraction == 0x400000 && exponent > 0);
  return exponent + (isUp && !(cast.isSaturating && exponent == 0xfe));
}

DEVICE ExactNumber decode(const ElementFormat &format, uint64_t bits) {
  switch (format.kind) {
  case ElementFormat::boolean:
    return {ExactNumber::finite, false, bits != 0, 0};
  case ElementFormat::power:
    return bits == 0xff
               ? ExactNumber{ExactNumber::nan, false, 0, 0}
               : ExactNumber{ExactNumber::finite, false, 1, static_cast<int32_t>(bits) - 127};
  case ElementFormat::floating:
    return decodeFloat(format, bits);
  case ElementFormat::integer:
    break;
  }
  uint64_t value = wrapInteger(bits, format.bits, format.isSigned);
  bool isNegative = format.isSigned && static_cast<int64_t>(value) < 0;
  return {ExactNumber::finite, isNegative, isNegative ? 0 - value : value, 0};
}

DEVICE uint64_t encode(const ExactNumber &number, const CastParameters &cast) {
  const ElementFormat &format = cast.to;
  switch (format.kind) {
  case ElementFormat::boolean:
    return number.kind != ExactNumber::finite || number.significand != 0;
  case ElementFormat::power:
    return encodePower(number, cast);
  case ElementFormat::floating: // Those of two bytes and more always overflow to infinity.
    return encodeFloat(format, number, cast.isSaturating && format.bytes == 1);
  case ElementFormat::integer:
    break;
  }
  if (cast.from.kind == ElementFormat::floating || cast.from.kind == ElementFormat::power) {
    // Types of fewer bits take the low ones of what 32 bits hold.
    return format.bits < 8
               ? wrapInteger(clampInteger(number, 32, true), format.bits, format.isSigned)
               : clampInteger(number, format.bits, format.isSigned);
  }
  uint64_t value = number.isNegative ? 0 - number.significand : number.significand;
  return wrapInteger(value, format.bits, format.isSigned);
}

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_EXACT_NUMBER_H
