// Reads and writes single elements of every type.
#include "runtime/core/convert.h"

#include <cstring>

namespace sheaf::rt {
namespace {

using abi::ElementType;

template <typename T> T readAs(const void *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename T> void writeAs(void *to, T value) { std::memcpy(to, &value, sizeof value); }

/// Bits of an integer type, and whether it has a sign.
struct IntegerFormat {
  int bits;
  bool isSigned;
};

IntegerFormat integerFormat(ElementType type) {
  switch (type) {
  case ElementType::i2:
    return {2, true};
  case ElementType::ui2:
    return {2, false};
  case ElementType::i4:
    return {4, true};
  case ElementType::ui4:
    return {4, false};
  default:
    return {static_cast<int>(8 * abi::bytesOf(type)),
            type == ElementType::i8 || type == ElementType::i16 || type == ElementType::i32 ||
                type == ElementType::i64};
  }
}

/// The low `bits` bits of `value`, with the sign carried up where there is one.
uint64_t wrap(uint64_t value, IntegerFormat format) {
  int unused = 64 - format.bits;
  uint64_t shifted = value << unused;
  return format.isSigned ? static_cast<uint64_t>(static_cast<int64_t>(shifted) >> unused)
                         : shifted >> unused;
}

uint64_t toIntegerBits(const ExactNumber &number, IntegerFormat format, bool isFromFloat) {
  if (!isFromFloat) {
    uint64_t value = number.isNegative ? 0 - number.significand : number.significand;
    return wrap(value, format);
  }
  if (format.bits < 8)
    return wrap(static_cast<uint64_t>(number.toInteger(32)), format);
  return format.isSigned ? static_cast<uint64_t>(number.toInteger(format.bits))
                         : number.toUnsigned(format.bits);
}

} // namespace

ExactNumber readElement(ElementType type, const void *from) {
  if (type == ElementType::boolean)
    return ExactNumber::fromUnsigned(readAs<uint8_t>(from) != 0);
  if (type == ElementType::f8E8M0FNU)
    return decodePower(readAs<uint8_t>(from));
  if (type == ElementType::f32)
    return ExactNumber::fromDouble(readAs<float>(from));
  if (type == ElementType::f64)
    return ExactNumber::fromDouble(readAs<double>(from));
  if (const FloatFormat *format = FloatFormat::of(type))
    return format->decode(abi::bytesOf(type) == 2 ? readAs<uint16_t>(from) : readAs<uint8_t>(from));
  // Values of 2 and 4 bits are stored in a whole byte; only their own bits count.
  uint64_t value = 0;
  std::memcpy(&value, from, static_cast<size_t>(abi::bytesOf(type)));
  IntegerFormat format = integerFormat(type);
  value = wrap(value, format);
  return format.isSigned ? ExactNumber::fromInteger(static_cast<int64_t>(value))
                         : ExactNumber::fromUnsigned(value);
}

void writeElement(ElementType type, const ExactNumber &number, bool isFromFloat, void *to,
                  const CastRules &rules) {
  if (type == ElementType::boolean)
    return writeAs<uint8_t>(to,
                            number.kind != ExactNumber::Kind::finite || number.significand != 0);
  if (type == ElementType::f8E8M0FNU)
    return writeAs(to, encodePower(number, rules.powerRounding, rules.isSaturating));
  if (type == ElementType::f64)
    return writeAs(to, number.toDouble());
  if (type == ElementType::f32) {
    // A 64-bit integer must not be rounded twice, by way of a double.
    double value = number.toDouble();
    float rounded = static_cast<float>(value);
    if (!isFromFloat && number.kind == ExactNumber::Kind::finite) {
      rounded = static_cast<float>(number.significand);
      rounded = number.isNegative ? -rounded : rounded;
    }
    return writeAs(to, rounded);
  }
  if (const FloatFormat *format = FloatFormat::of(type)) {
    // f16 and bf16 always overflow to infinity.
    bool isWide = abi::bytesOf(type) == 2;
    uint32_t bits = format->encode(number, rules.isSaturating && !isWide);
    return isWide ? writeAs(to, static_cast<uint16_t>(bits))
                  : writeAs(to, static_cast<uint8_t>(bits));
  }
  uint64_t bits = toIntegerBits(number, integerFormat(type), isFromFloat);
  std::memcpy(to, &bits, static_cast<size_t>(abi::bytesOf(type)));
}

} // namespace sheaf::rt
