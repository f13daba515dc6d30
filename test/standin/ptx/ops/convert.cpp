// cvt: conversions among whole numbers and floats in all roundings.
#include <limits>

#include "test/standin/ptx/lanes.h"
#include "test/standin/ptx/ops/ops.h"

namespace sheaf::standin::ptx {

namespace {

/// Of the bits of the result, or to a whole number.
enum class Rounding : uint8_t { Nearest, ToZero, Down, Up };

/// What Instruction::mode holds.
struct Mode {
  Rounding rounding = Rounding::Nearest;
  bool toWhole = false;
  bool saturates = false;

  uint8_t encode() const {
    return static_cast<uint8_t>(static_cast<unsigned>(rounding) | toWhole << 2 | saturates << 3);
  }
  static Mode decode(uint8_t mode) {
    return {static_cast<Rounding>(mode & 3), (mode & 4) != 0, (mode & 8) != 0};
  }
};

template <typename T> constexpr bool isFloating = !std::is_integral_v<T>;

/// The same number in a type that holds all numbers of all types.
template <typename T> long double exact(T value) {
  if constexpr (std::is_integral_v<T>)
    return value;
  else
    return widen(value);
}

/// Rounded to a whole number.
template <typename T> T toWhole(T value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return std::nearbyint(value);
  case Rounding::ToZero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  }
  return value;
}

/// A 64-bit number as a double that, rounded further, gives what one rounding would have given.
template <typename From> double toOddDouble(From value) {
  if constexpr (sizeof(From) == 8) {
    const bool isNegative = value < 0;
    uint64_t magnitude = isNegative ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    if (magnitude >> 53)
      magnitude = (magnitude >> 11 | ((magnitude & 0x7ff) != 0)) << 11;
    return isNegative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
  } else {
    return value;
  }
}

/// The next number towards zero (`by` is -1) or away from it (1).
template <typename T> T step(T value, int by) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) + by);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(std::bit_cast<uint64_t>(value) + by);
  else
    return {static_cast<uint16_t>(value.bits + by)};
}

template <typename To, typename From> To toFloat(From value, Mode mode) {
  To result;
  if constexpr (std::is_integral_v<From> && std::is_floating_point_v<To>)
    result = static_cast<To>(value);
  else if constexpr (std::is_integral_v<From>)
    result = narrow<To>(toOddDouble(value));
  else if (mode.toWhole)
    result = narrow<To>(toWhole(widen(value), mode.rounding));
  else
    result = narrow<To>(widen(value));
  if (mode.rounding != Rounding::Nearest && !mode.toWhole) {
    const long double wanted = exact(value), found = widen(result);
    const bool isNegative = std::signbit(found);
    if (mode.rounding == Rounding::ToZero && std::fabs(found) > std::fabs(wanted))
      result = step(result, -1);
    else if (mode.rounding == Rounding::Down && found > wanted)
      result = step(result, isNegative ? 1 : -1);
    else if (mode.rounding == Rounding::Up && found < wanted)
      result = step(result, isNegative ? -1 : 1);
  }
  if (mode.saturates) {
    const double wide = widen(result);
    result = narrow<To>(wide > 0 ? std::min(wide, 1.0) : 0.0);
  }
  return result;
}

template <typename To, typename From> To toInteger(From value, Mode mode) {
  using Limits = std::numeric_limits<To>;
  if constexpr (std::is_integral_v<From>) {
    if (!mode.saturates)
      return static_cast<To>(value);
    const __int128 wide = value;
    return wide < Limits::min() ? Limits::min() : wide > Limits::max() ? Limits::max() : To(wide);
  } else {
    const double wide = toWhole(static_cast<double>(widen(value)), mode.rounding);
    if (wide != wide)
      return 0;
    // Powers of two, so that both are doubles.
    constexpr double low = static_cast<double>(Limits::min());
    const double above = std::ldexp(1.0, Limits::digits);
    return wide < low ? Limits::min() : wide >= above ? Limits::max() : static_cast<To>(wide);
  }
}

template <typename To, typename From>
void convertLanes(Warp &warp, const Instruction &instruction, uint32_t mask) {
  Lanes<From> values(warp, instruction.operands[1]);
  Lanes<To> result;
  const Mode mode = Mode::decode(instruction.mode);
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if constexpr (std::is_integral_v<To>)
      result[lane] = toInteger<To>(values[lane], mode);
    else
      result[lane] = toFloat<To>(values[lane], mode);
  }
  result.store(warp, instruction.operands[0], mask);
}

/// Only what needs no care: cuts, extensions, and floats that are exact or rounded to nearest.
template <typename To, typename From> struct Cast {
  To operator()(From value) const {
    if constexpr (std::is_integral_v<From> || std::is_floating_point_v<To>)
      return static_cast<To>(exactOrSame(value));
    else
      return narrow<To>(widen(value));
  }

private:
  static auto exactOrSame(From value) {
    if constexpr (std::is_integral_v<From>)
      return value;
    else
      return widen(value);
  }
};

using Integers = Types<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>;
using Convertible = decltype(join(Integers{}, Types<Half, BFloat, float, double>{}));

Handler chooseConversion(Type to, Type from, Mode mode) {
  const bool isPlain = mode.encode() == 0;
  return choose(Convertible{}, to, [&]<typename To>() -> Handler {
    return choose(Convertible{}, from, [&]<typename From>() -> Handler {
      constexpr bool isWhole = std::is_integral_v<From>;
      if constexpr ((isWhole && std::is_arithmetic_v<To>) || (!isWhole && !std::is_integral_v<To>))
        if (isPlain)
          return &mapLanes<Cast<To, From>, To, From>;
      return &convertLanes<To, From>;
    });
  });
}

Mode takeMode(Decoder &decoder) {
  Mode mode;
  constexpr auto none = 4;
  const size_t whole = decoder.takeOneOf({"rni", "rzi", "rmi", "rpi"}, none);
  const size_t bits = decoder.takeOneOf({"rn", "rz", "rm", "rp"}, none);
  if (whole != none)
    mode = {static_cast<Rounding>(whole), true, false};
  else if (bits != none)
    mode = {static_cast<Rounding>(bits), false, false};
  mode.saturates = decoder.take("sat");
  return mode;
}

/// The modifiers .ftz (of f32) and .relu.
struct Adjust {
  bool flushes, cutsNegative;
};

struct FlushSingle {
  float operator()(float a) const {
    return std::fabs(a) < std::numeric_limits<float>::min() ? std::copysign(0.0f, a) : a;
  }
};
struct CutNegative {
  template <typename T> T operator()(T a) const {
    return onWide([](auto x) { return x <= 0 ? decltype(x)(0) : x; }, a);
  }
};

/// Emits one conversion into `to`.
void emitConvert(Decoder &decoder, Slot to, Type toType, Slot from, Type fromType, Mode mode,
                 Adjust adjust) {
  const Handler handler = chooseConversion(toType, fromType, mode);
  if (!handler)
    decoder.fail("the conversion is not supported");
  const Type single = typeOf<float>();
  if (adjust.flushes && fromType == single) {
    const Slot flushed = decoder.temporary(32);
    decoder.emit(&mapLanes<FlushSingle, float, float>, {flushed, from});
    from = flushed;
  }
  decoder.emit(handler, {to, from}).mode = mode.encode();
  if (adjust.cutsNegative)
    decoder.emit(chooseMap<CutNegative, 1>(Types<Half, BFloat, float>{}, toType), {to, to});
  if (adjust.flushes && toType == single)
    decoder.emit(&mapLanes<FlushSingle, float, float>, {to, to});
}

/// cvt.rnd.f16x2.f32 d, a, b: a becomes the upper half.
void emitPackedConvert(Decoder &decoder, Type to, Type from, Mode mode, Adjust adjust) {
  const Type half{to.kind, 16, false};
  const Slot high = decoder.temporary(16), low = decoder.temporary(16);
  emitConvert(decoder, high, half, decoder.source(1, from), from, mode, adjust);
  emitConvert(decoder, low, half, decoder.source(2, from), from, mode, adjust);
  decoder.emit(
      [](Warp &warp, const Instruction &instruction, uint32_t mask) {
        Lanes<uint16_t> high(warp, instruction.operands[1]), low(warp, instruction.operands[2]);
        Lanes<uint32_t> result;
        for (unsigned lane = 0; lane < warpSize; ++lane)
          result[lane] = uint32_t(high[lane]) << 16 | low[lane];
        result.store(warp, instruction.operands[0], mask);
      },
      {decoder.destination(0, to), high, low});
}

void decodeCvt(Decoder &decoder) {
  const Mode mode = takeMode(decoder);
  const Type to = decoder.takeType(), from = decoder.takeType();
  const Adjust adjust{decoder.take("ftz"), decoder.take("relu")};
  if (adjust.cutsNegative && !to.isFloat())
    decoder.failType(to);
  if (to.isFloat() && to.isPacked)
    return emitPackedConvert(decoder, to, from, mode, adjust);
  const Slot value = decoder.wideSource(decoder.operand(1), from);
  const Decoder::WideDestination result = decoder.wideDestination(decoder.operand(0), to);
  emitConvert(decoder, result.value, to, value, from, mode, adjust);
  decoder.finishWide(result);
}

} // namespace

void emitConversion(Decoder &decoder, Slot to, Type toType, Slot from, Type fromType) {
  decoder.emit(chooseConversion(toType, fromType, {}), {to, from});
}

std::span<const Mnemonic> convertMnemonics() {
  static constexpr Mnemonic table[] = {{"cvt", decodeCvt}};
  return table;
}

} // namespace sheaf::standin::ptx
