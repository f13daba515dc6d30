// add, sub, mul, fma, div, min, max, abs and neg of floats and whole numbers.
#include <algorithm>
#include <limits>

#include "test/standin/ptx/lanes.h"
#include "test/standin/ptx/ops/ops.h"

namespace sheaf::standin::ptx {

namespace {

/// Whole numbers wrap around: they are computed without a sign.
template <typename T, typename F> T wrapping(F f, T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  else
    return onWide(f, a, b);
}

struct Add {
  template <typename T> T operator()(T a, T b) const {
    return wrapping([](auto x, auto y) { return x + y; }, a, b);
  }
};
struct Sub {
  template <typename T> T operator()(T a, T b) const {
    return wrapping([](auto x, auto y) { return x - y; }, a, b);
  }
};
struct Mul {
  template <typename T> T operator()(T a, T b) const {
    return onWide([](auto x, auto y) { return x * y; }, a, b);
  }
};
struct Div {
  template <typename T> T operator()(T a, T b) const {
    if constexpr (!std::is_integral_v<T>) {
      return onWide([](auto x, auto y) { return x / y; }, a, b);
    } else {
      // What the hardware gives where C++ has no answer.
      if (b == 0)
        return static_cast<T>(-1);
      if (std::is_signed_v<T> && b == static_cast<T>(-1))
        return static_cast<T>(-static_cast<std::make_unsigned_t<T>>(a));
      return static_cast<T>(a / b);
    }
  }
};
struct Rem {
  template <typename T> T operator()(T a, T b) const {
    if (b == 0)
      return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return 0;
    return static_cast<T>(a % b);
  }
};

template <typename T> T canonicalNaN() {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(0x7fffffffu);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(0x7fffffffffffffffu);
  else
    return T{0x7fff};
}

/// The lesser or greater; -0 is less than +0. Of a number and a NaN the number, unless `keepsNaN`.
template <bool isMax, bool keepsNaN> struct Extreme {
  template <typename T> T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return (a < b) != isMax ? a : b;
    } else {
      const auto x = widen(a), y = widen(b);
      if (x != x || y != y) {
        if (keepsNaN || (x != x && y != y))
          return canonicalNaN<T>();
        return x != x ? b : a;
      }
      if (x == y)
        return std::signbit(x) != isMax ? a : b;
      return (x < y) != isMax ? a : b;
    }
  }
};

struct Abs {
  template <typename T> T operator()(T a) const {
    if constexpr (std::is_integral_v<T>)
      return a < 0 ? static_cast<T>(-static_cast<uint64_t>(a)) : a;
    else if constexpr (std::is_floating_point_v<T>)
      return std::fabs(a);
    else
      return {static_cast<uint16_t>(a.bits & 0x7fff)};
  }
};
struct Neg {
  template <typename T> T operator()(T a) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(-static_cast<uint64_t>(a));
    else if constexpr (std::is_floating_point_v<T>)
      return -a;
    else
      return {static_cast<uint16_t>(a.bits ^ 0x8000)};
  }
};

struct Flush {
  template <typename T> T operator()(T a) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::fabs(a) < std::numeric_limits<T>::min() ? std::copysign(T(0), a) : a;
    else if constexpr (std::is_same_v<T, Half>)
      return a.bits & 0x7c00 ? a : Half{static_cast<uint16_t>(a.bits & 0x8000)};
    else
      return a.bits & 0x7f80 ? a : BFloat{static_cast<uint16_t>(a.bits & 0x8000)};
  }
};
/// Into [0, 1]; NaN becomes 0.
struct Saturate {
  template <typename T> T operator()(T a) const {
    return onWide([](auto x) { return x > 0 ? (x < 1 ? x : decltype(x)(1)) : decltype(x)(0); }, a);
  }
};
struct Relu {
  template <typename T> T operator()(T a) const { return Extreme<true, true>()(a, narrow<T>(0)); }
};

/// x * y + z rounded to odd: a later rounding to fewer bits is then the only one that counts.
double fmaToOdd(double x, double y, double z) {
  const double product = x * y; // exact: the factors have 11 bits at most
  const double sum = product + z;
  if (!std::isfinite(sum))
    return sum;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (z - part);
  if (error == 0 || std::bit_cast<uint64_t>(sum) & 1)
    return sum;
  return std::nextafter(sum, error > 0 ? HUGE_VAL : -HUGE_VAL);
}
struct Fma {
  template <typename T> T operator()(T a, T b, T c) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::fma(a, b, c);
    else
      return narrow<T>(fmaToOdd(widen(a), widen(b), widen(c)));
  }
};

template <typename Op> void decodeSum(Decoder &decoder) {
  if (decoder.has("cc"))
    return decodeCarrying(decoder, std::is_same_v<Op, Sub>, false);
  const Type type = decoder.takeType();
  if (type.isFloat())
    emitFloat(decoder, chooseMap<Op, 2>(FloatTypes{}, type), type, 2);
  else
    decoder.emitSame(chooseMap<Op, 2>(IntegerTypes{}, type), type, 2);
}

void decodeDiv(Decoder &decoder) {
  const Type type = decoder.takeType();
  if (!type.isFloat())
    return decoder.emitSame(chooseMap<Div, 2>(IntegerTypes{}, type), type, 2);
  // The approximations are at most as exact as this.
  decoder.takeOneOf({"full", "approx"}, 0);
  emitFloat(decoder, chooseMap<Div, 2>(WideFloatTypes{}, type), type, 2);
}

void decodeRem(Decoder &decoder) {
  const Type type = decoder.takeType();
  decoder.emitSame(chooseMap<Rem, 2>(IntegerTypes{}, type), type, 2);
}

template <bool isMax> void decodeExtreme(Decoder &decoder) {
  const Type type = decoder.takeType();
  const bool keepsNaN = decoder.take("NaN");
  if (!type.isFloat())
    return decoder.emitSame(chooseMap<Extreme<isMax, false>, 2>(IntegerTypes{}, type), type, 2);
  emitFloat(decoder,
            keepsNaN ? chooseMap<Extreme<isMax, true>, 2>(FloatTypes{}, type)
                     : chooseMap<Extreme<isMax, false>, 2>(FloatTypes{}, type),
            type, 2);
}

template <typename Op> void decodeSign(Decoder &decoder) {
  const Type type = decoder.takeType();
  if (type.isFloat())
    emitFloat(decoder, chooseMap<Op, 1>(FloatTypes{}, type), type, 1);
  else
    decoder.emitSame(chooseMap<Op, 1>(SignedTypes{}, type), type, 1);
}

void decodeFma(Decoder &decoder) {
  const Type type = decoder.takeType();
  emitFloat(decoder, chooseMap<Fma, 3>(FloatTypes{}, type), type, 3);
}

} // namespace

void decodeFloatMul(Decoder &decoder, Type type) {
  emitFloat(decoder, chooseMap<Mul, 2>(FloatTypes{}, type), type, 2);
}
void decodeFloatMad(Decoder &decoder, Type type) {
  emitFloat(decoder, chooseMap<Fma, 3>(FloatTypes{}, type), type, 3);
}

void emitFloat(Decoder &decoder, Handler handler, Type type, size_t numSources) {
  if (!handler)
    decoder.failType(type);
  decoder.take("rn");
  const Handler flush = decoder.take("ftz") ? chooseMap<Flush, 1>(FloatTypes{}, type) : nullptr;
  std::vector<Slot> sources;
  for (size_t i = 1; i <= numSources; ++i) {
    Slot slot = decoder.source(i, type);
    if (flush) {
      const Slot flushed = decoder.temporary(type.bits);
      decoder.emit(flush, {flushed, slot});
      slot = flushed;
    }
    sources.push_back(slot);
  }
  if (decoder.numOperands() != numSources + 1)
    decoder.fail("expected " + std::to_string(numSources + 1) + " operands");
  const Slot result = decoder.destination(0, type);
  std::ranges::copy(sources, decoder.emit(handler, {result}).operands.begin() + 1);
  if (decoder.take("sat"))
    decoder.emit(chooseMap<Saturate, 1>(FloatTypes{}, type), {result, result});
  if (decoder.take("relu"))
    decoder.emit(chooseMap<Relu, 1>(FloatTypes{}, type), {result, result});
  if (flush)
    decoder.emit(flush, {result, result});
}

std::span<const Mnemonic> arithmeticMnemonics() {
  static constexpr Mnemonic table[] = {
      {"add", decodeSum<Add>},      {"sub", decodeSum<Sub>},  {"fma", decodeFma},
      {"div", decodeDiv},           {"rem", decodeRem},       {"min", decodeExtreme<false>},
      {"max", decodeExtreme<true>}, {"abs", decodeSign<Abs>}, {"neg", decodeSign<Neg>},
  };
  return table;
}

} // namespace sheaf::standin::ptx
