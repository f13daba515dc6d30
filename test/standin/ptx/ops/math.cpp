// Roots, reciprocals, exponentials and trigonometry of floats. The approximations of PTX are computed
// as exactly as the host's library does, which is closer than what the hardware promises.
#include <algorithm>
#include <numbers>

#include "test/standin/ptx/lanes.h"
#include "test/standin/ptx/ops/ops.h"

namespace sheaf::standin::ptx {

namespace {

struct Rcp {
  template <typename T> T operator()(T a) const { return T(1) / a; }
};
struct Sqrt {
  template <typename T> T operator()(T a) const { return std::sqrt(a); }
};
struct Rsqrt {
  template <typename T> T operator()(T a) const { return static_cast<T>(1 / std::sqrt(double(a))); }
};
struct Sin {
  float operator()(float a) const { return std::sin(a); }
};
struct Cos {
  float operator()(float a) const { return std::cos(a); }
};
struct Log2 {
  float operator()(float a) const { return std::log2(a); }
};
struct Exp2 {
  template <typename T> T operator()(T a) const {
    return onWide([](auto x) { return std::exp2(x); }, a);
  }
};
struct Tanh {
  template <typename T> T operator()(T a) const {
    return onWide([](auto x) { return std::tanh(x); }, a);
  }
};
/// The magnitude of the second with the sign of the first.
struct CopySign {
  template <typename T> T operator()(T sign, T magnitude) const {
    return std::copysign(magnitude, sign);
  }
};

template <typename Op, size_t numSources, typename List> void decodeMath(Decoder &decoder) {
  const Type type = decoder.takeType();
  decoder.take("approx");
  emitFloat(decoder, chooseMap<Op, numSources>(List{}, type), type, numSources);
}

} // namespace

std::span<const Mnemonic> mathMnemonics() {
  using Single = Types<float>;
  using Short = Types<float, Half, BFloat, Packed<Half>, Packed<BFloat>>;
  static constexpr Mnemonic table[] = {
      {"rcp", decodeMath<Rcp, 1, WideFloatTypes>},
      {"sqrt", decodeMath<Sqrt, 1, WideFloatTypes>},
      {"rsqrt", decodeMath<Rsqrt, 1, WideFloatTypes>},
      {"sin", decodeMath<Sin, 1, Single>},
      {"cos", decodeMath<Cos, 1, Single>},
      {"lg2", decodeMath<Log2, 1, Single>},
      {"ex2", decodeMath<Exp2, 1, Short>},
      {"tanh", decodeMath<Tanh, 1, Short>},
      {"copysign", decodeMath<CopySign, 2, WideFloatTypes>},
  };
  return table;
}

} // namespace sheaf::standin::ptx
