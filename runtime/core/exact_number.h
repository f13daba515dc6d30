// Numbers of every element type, and how floats store them: integer arithmetic alone, so that every device gives the
// same bits.
#ifndef SHEAF_RUNTIME_CORE_EXACT_NUMBER_H
#define SHEAF_RUNTIME_CORE_EXACT_NUMBER_H

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

namespace sheaf::rt {

/// A number as any element type can hold it: `significand * 2^exponent`, or one of the special values.
struct ExactNumber {
  enum class Kind { finite, infinity, nan };
  Kind kind = Kind::finite;
  bool isNegative = false;
  uint64_t significand = 0;
  int exponent = 0;

  static constexpr ExactNumber fromInteger(int64_t value) {
    uint64_t magnitude =
        value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    return {Kind::finite, value < 0, magnitude, 0};
  }
  static constexpr ExactNumber fromUnsigned(uint64_t value) {
    return {Kind::finite, false, value, 0};
  }
  static constexpr ExactNumber fromDouble(double value);

  /// The nearest double; exact for every number that came from an element type other than 64-bit integers.
  constexpr double toDouble() const;

  /// Truncated, clamped to what `bits` bits hold; NaN is 0.
  constexpr uint64_t toUnsigned(int bits) const {
    uint64_t limit = bits == 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1;
    if (kind == Kind::nan || isNegative || significand == 0)
      return kind == Kind::infinity && !isNegative ? limit : 0;
    if (exponent < 0)
      return std::min(limit, exponent <= -64 ? 0 : significand >> -exponent);
    bool overflows = exponent >= 64 || std::countl_zero(significand) < exponent;
    return overflows ? limit : std::min(limit, significand << exponent);
  }
  constexpr int64_t toInteger(int bits) const {
    if (kind == Kind::nan)
      return 0;
    ExactNumber magnitude = *this;
    magnitude.isNegative = false;
    uint64_t limit = (uint64_t(1) << (bits - 1)) - (isNegative ? 0 : 1);
    uint64_t value = std::min(limit, magnitude.toUnsigned(64));
    return static_cast<int64_t>(isNegative ? 0 - value : value);
  }
};

/// How a float type lays out its bits: sign, exponent, mantissa, from the top.
struct FloatFormat {
  int exponentBits;
  int mantissaBits;
  int bias;
  uint64_t maxFinite;               ///< bits of the largest finite value
  std::optional<uint64_t> infinity; ///< its bits, if there is one
  std::optional<uint64_t> nan;      ///< bits of the NaN that results get, if there is one
  bool hasNegativeZero;

  /// A type with infinities and NaNs as IEEE 754 has them.
  static constexpr FloatFormat ieee(int exponentBits, int mantissaBits) {
    uint64_t infinity = ((uint64_t(1) << exponentBits) - 1) << mantissaBits;
    uint64_t quiet = uint64_t(1) << (mantissaBits - 1);
    return {exponentBits,     mantissaBits, (1 << (exponentBits - 1)) - 1, infinity - 1, infinity,
            infinity | quiet, true};
  }

  constexpr ExactNumber decode(uint64_t bits) const {
    uint64_t signBit = uint64_t(1) << (exponentBits + mantissaBits);
    uint64_t magnitude = bits & (signBit - 1);
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
    number.significand = magnitude & ((uint64_t(1) << mantissaBits) - 1);
    if (biased > 0)
      number.significand |= uint64_t(1) << mantissaBits;
    number.exponent = std::max(biased, 1) - bias - mantissaBits;
    return number;
  }

  /// Rounds to nearest even. Past the largest finite value: that value with `isSaturating`, which then also takes
  /// infinities; else infinity, or NaN where there is none. A type without NaN gives its largest value for
  /// infinities, and -0 for NaN as ml_dtypes does.
  constexpr uint64_t encode(const ExactNumber &number, bool isSaturating) const {
    uint64_t signBit = uint64_t(1) << (exponentBits + mantissaBits);
    uint64_t sign = number.isNegative ? signBit : 0;
    // Where NaN takes the place of negative zero it has no sign; where there is none, -0 stands for it.
    uint64_t nanBits = !nan ? signBit : hasNegativeZero ? *nan | sign : *nan;
    if (number.kind == ExactNumber::Kind::nan)
      return nanBits;
    uint64_t bits = maxFinite + 1; // for infinity: past the largest
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
    return bits | sign;
  }

private:
  /// `significand * 2^-shift`, rounded to nearest even.
  static constexpr uint64_t shiftRounded(uint64_t significand, int shift) {
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
};

inline constexpr FloatFormat formatOfF32 = FloatFormat::ieee(8, 23),
                             formatOfF64 = FloatFormat::ieee(11, 52);

constexpr ExactNumber ExactNumber::fromDouble(double value) {
  return formatOfF64.decode(std::bit_cast<uint64_t>(value));
}

constexpr double ExactNumber::toDouble() const {
  return std::bit_cast<double>(formatOfF64.encode(*this, /*isSaturating=*/false));
}

/// How f8E8M0FNU rounds to a power of two.
enum class PowerRounding { up, down, nearest };

/// f8E8M0FNU: 2^(bits - 127); 255 is NaN. Takes the magnitude; infinities become NaN, zero the smallest value.
constexpr ExactNumber decodePower(uint64_t bits) {
  if (bits == 0xff)
    return {ExactNumber::Kind::nan, false, 0, 0};
  return {ExactNumber::Kind::finite, false, 1, static_cast<int>(bits) - 127};
}
constexpr uint64_t encodePower(const ExactNumber &number, PowerRounding rounding,
                               bool isSaturating) {
  // Defined on f32, as in ONNX: its exponent field, plus one when the rest rounds up.
  uint64_t word = formatOfF32.encode(number, /*isSaturating=*/false);
  uint64_t exponent = (word >> 23) & 0xff, fraction = word & 0x7fffff;
  if (exponent == 0xff)
    return 0xff;
  bool isUp = false;
  if (rounding == PowerRounding::up)
    isUp = fraction != 0;
  else if (rounding == PowerRounding::nearest)
    isUp = fraction > 0x400000 || (fraction == 0x400000 && exponent > 0);
  if (isUp && !(isSaturating && exponent == 0xfe))
    ++exponent;
  return exponent;
}

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_EXACT_NUMBER_H
