// How elements of every type are stored. Device code includes this too.
#ifndef SHEAF_RUNTIME_CORE_ELEMENT_FORMAT_H
#define SHEAF_RUNTIME_CORE_ELEMENT_FORMAT_H

#include "runtime/core/exact_number.h"

namespace sheaf::abi {
enum class ElementType : uint8_t;
}

namespace sheaf::rt {

/// What `cast` does where the target can't hold a value.
struct CastRules {
  bool isSaturating = true;
  PowerRounding powerRounding = PowerRounding::up;
};

/// The meaning of the bits of an element.
struct ElementFormat {
  enum class Kind { boolean, integer, floating, power };
  Kind kind;
  int bytes;
  int integerBits =
      0; ///< Values of 2 and 4 bits are stored in a whole byte; only their own bits count.
  bool isSigned = false;
  FloatFormat floating = formatOfF32;

  static ElementFormat of(abi::ElementType type);

  /// Whether a value out of range of an integer type is clamped to it; one of an integer type wraps.
  constexpr bool isFloat() const { return kind == Kind::floating || kind == Kind::power; }

  /// The number that the low bits of `bits` stand for.
  constexpr ExactNumber decode(uint64_t bits) const {
    switch (kind) {
    case Kind::boolean:
      return ExactNumber::fromUnsigned(bits != 0);
    case Kind::power:
      return decodePower(bits);
    case Kind::floating:
      return floating.decode(bits);
    case Kind::integer:
      break;
    }
    uint64_t value = wrap(bits);
    return isSigned ? ExactNumber::fromInteger(static_cast<int64_t>(value))
                    : ExactNumber::fromUnsigned(value);
  }

  /// The bits for `number`, which is one of a type for which `isFloat` is `isFromFloat`.
  constexpr uint64_t encode(const ExactNumber &number, bool isFromFloat,
                            const CastRules &rules) const {
    switch (kind) {
    case Kind::boolean:
      return number.kind != ExactNumber::Kind::finite || number.significand != 0;
    case Kind::power:
      return encodePower(number, rules.powerRounding, rules.isSaturating);
    case Kind::floating: // Those of 16 bits and more always overflow to infinity.
      return floating.encode(number, rules.isSaturating && bytes == 1);
    case Kind::integer:
      break;
    }
    if (!isFromFloat)
      return wrap(number.isNegative ? 0 - number.significand : number.significand);
    if (integerBits < 8)
      return wrap(static_cast<uint64_t>(number.toInteger(32)));
    return isSigned ? static_cast<uint64_t>(number.toInteger(integerBits))
                    : number.toUnsigned(integerBits);
  }

private:
  /// The own bits of an integer, with the sign carried up where there is one.
  constexpr uint64_t wrap(uint64_t value) const {
    int unused = 64 - integerBits;
    uint64_t shifted = value << unused;
    return isSigned ? static_cast<uint64_t>(static_cast<int64_t>(shifted) >> unused)
                    : shifted >> unused;
  }
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_ELEMENT_FORMAT_H
