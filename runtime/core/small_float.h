// Floats of 16 bits and fewer, decoded and encoded exactly.
#ifndef SHEAF_RUNTIME_CORE_SMALL_FLOAT_H
#define SHEAF_RUNTIME_CORE_SMALL_FLOAT_H

#include "runtime/abi/element_type.h"

#include <optional>

namespace sheaf::rt {

/// A number as any element type can hold it: `significand * 2^exponent`, or one of the special values.
struct ExactNumber {
  enum class Kind { finite, infinity, nan };
  Kind kind = Kind::finite;
  bool isNegative = false;
  uint64_t significand = 0;
  int exponent = 0;

  static ExactNumber fromInteger(int64_t value) {
    uint64_t magnitude =
        value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    return {Kind::finite, value < 0, magnitude, 0};
  }
  static ExactNumber fromUnsigned(uint64_t value) { return {Kind::finite, false, value, 0}; }
  static ExactNumber fromDouble(double value);

  /// The nearest double; exact for every number that came from an element type other than 64-bit integers.
  double toDouble() const;
  /// Truncated, clamped to what `bits` bits hold; NaN is 0.
  int64_t toInteger(int bits) const;
  uint64_t toUnsigned(int bits) const;
};

/// How a small float type lays out its bits: sign, exponent, mantissa, from the top.
struct FloatFormat {
  int exponentBits;
  int mantissaBits;
  int bias;
  uint32_t maxFinite;               ///< bits of the largest finite value
  std::optional<uint32_t> infinity; ///< its bits, if there is one
  std::optional<uint32_t> nan;      ///< bits of the NaN that results get, if there is one
  bool hasNegativeZero;

  /// The format of `type`: f16, bf16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ or f4E2M1FN; else null.
  static const FloatFormat *of(abi::ElementType type);

  ExactNumber decode(uint32_t bits) const;

  /// Rounds to nearest even. Past the largest finite value: that value with `isSaturating`, which then also takes
  /// infinities; else infinity, or NaN where there is none. A type without NaN gives its largest value for
  /// infinities, and -0 for NaN as ml_dtypes does.
  uint32_t encode(const ExactNumber &number, bool isSaturating) const;
};

/// How f8E8M0FNU rounds to a power of two.
enum class PowerRounding { up, down, nearest };

/// f8E8M0FNU: 2^(bits - 127); 255 is NaN. Takes the magnitude; infinities become NaN, zero the smallest value.
ExactNumber decodePower(uint8_t bits);
uint8_t encodePower(const ExactNumber &number, PowerRounding rounding, bool isSaturating);

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_SMALL_FLOAT_H
