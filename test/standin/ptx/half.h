// The 16-bit float types of PTX: their bits, and exact conversions to and from wider floats.
#ifndef SHEAF_TEST_STANDIN_PTX_HALF_H
#define SHEAF_TEST_STANDIN_PTX_HALF_H

#include <bit>
#include <cmath>
#include <cstdint>

namespace sheaf::standin::ptx {

/// IEEE binary16.
struct Half {
  uint16_t bits;
};

/// The upper half of a binary32.
struct BFloat {
  uint16_t bits;
};

/// `value` rounded to nearest-even in a format of 16 bits with `mantissaBits`, from a wide float whose
/// own rounding, if any, was to odd, so that the two roundings are one.
template <int mantissaBits> uint16_t roundTo16(double value) {
  constexpr int exponentBits = 15 - mantissaBits;
  constexpr int bias = (1 << (exponentBits - 1)) - 1;
  const uint64_t wide = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint16_t>(wide >> 48 & 0x8000);
  if (std::isnan(value))
    return 0x7fff; // what the hardware gives, whatever the payload was
  const double magnitude = std::fabs(value);
  constexpr uint16_t infinity = ((1 << exponentBits) - 1) << mantissaBits;
  if (std::isinf(value))
    return sign | infinity;
  // Normal numbers keep their exponent; below them the grid has the step of the smallest.
  int exponent = static_cast<int>(wide >> 52 & 0x7ff) - 1023;
  if (exponent < 1 - bias)
    exponent = 1 - bias;
  const double scaled = std::ldexp(magnitude, mantissaBits - exponent);
  const auto grid = static_cast<uint32_t>(std::nearbyint(scaled));
  // A carry out of the mantissa moves into the exponent by itself.
  const uint32_t encoded = grid + (static_cast<uint32_t>(exponent + bias - 1) << mantissaBits);
  return sign | static_cast<uint16_t>(encoded < infinity ? encoded : infinity);
}

inline double widen(Half value) {
  const uint32_t exponent = value.bits >> 10 & 0x1f, mantissa = value.bits & 0x3ff;
  double magnitude;
  if (exponent == 31)
    magnitude = mantissa ? std::nan("") : HUGE_VAL;
  else if (exponent == 0)
    magnitude = mantissa * 0x1p-24;
  else
    magnitude = std::bit_cast<double>(uint64_t(exponent + 1008) << 52 | uint64_t(mantissa) << 42);
  return value.bits & 0x8000 ? -magnitude : magnitude;
}
inline double widen(BFloat value) { return std::bit_cast<float>(uint32_t(value.bits) << 16); }
inline float widen(float value) { return value; }
inline double widen(double value) { return value; }

/// Rounds to nearest-even.
template <typename T> T narrow(double value) { return static_cast<T>(value); }
template <> inline Half narrow<Half>(double value) { return {roundTo16<10>(value)}; }
template <> inline BFloat narrow<BFloat>(double value) {
  // Most values are a float already, which is rounded in a few integer operations.
  const auto single = static_cast<float>(value);
  if (single != value)
    return {roundTo16<7>(value)};
  const uint32_t bits = std::bit_cast<uint32_t>(single);
  return {static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

} // namespace sheaf::standin::ptx

#endif
