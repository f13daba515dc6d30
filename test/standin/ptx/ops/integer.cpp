// Products of whole numbers in all their forms, sums of three, and sums with carry.
#include "test/standin/ptx/lanes.h"
#include "test/standin/ptx/ops/ops.h"

namespace sheaf::standin::ptx {

namespace {

template <typename T> struct Wider;
template <> struct Wider<uint16_t> {
  using Type = uint32_t;
};
template <> struct Wider<int16_t> {
  using Type = int32_t;
};
template <> struct Wider<uint32_t> {
  using Type = uint64_t;
};
template <> struct Wider<int32_t> {
  using Type = int64_t;
};
template <> struct Wider<uint64_t> {
  using Type = unsigned __int128;
};
template <> struct Wider<int64_t> {
  using Type = __int128;
};

template <typename T> auto product(T a, T b) {
  using W = typename Wider<T>::Type;
  return static_cast<W>(a) * static_cast<W>(b);
}

struct MulLow {
  template <typename T> T operator()(T a, T b) const {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
};
struct MulHigh {
  template <typename T> T operator()(T a, T b) const {
    return static_cast<T>(product(a, b) >> (8 * sizeof(T)));
  }
};
struct MulWide {
  template <typename T> auto operator()(T a, T b) const { return product(a, b); }
};
/// The product of the lower 24 bits: its lower or its upper 32 bits of 48.
template <bool isHigh> struct Mul24 {
  template <typename T> T operator()(T a, T b) const {
    using W = typename Wider<T>::Type;
    auto cut = [](T value) {
      return static_cast<W>(static_cast<T>(static_cast<uint32_t>(value) << 8) >> 8);
    };
    return static_cast<T>(cut(a) * cut(b) >> (isHigh ? 16 : 0));
  }
};
/// As `Product`, plus a third number.
template <typename Product> struct Mad {
  template <typename T, typename C> C operator()(T a, T b, C c) const {
    return static_cast<C>(static_cast<uint64_t>(Product()(a, b)) + static_cast<uint64_t>(c));
  }
};
/// c + |a - b|
struct Sad {
  template <typename T> T operator()(T a, T b, T c) const {
    const uint64_t difference = a < b ? static_cast<uint64_t>(b) - static_cast<uint64_t>(a)
                                      : static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
    return static_cast<T>(static_cast<uint64_t>(c) + difference);
  }
};

/// operands[0] = operands[1] +- operands[2] (+- the carry, if `mode` & 1); sets it if `mode` & 2.
template <bool isSub> struct Carrying {
  template <typename T> static void run(Warp &warp, const Instruction &instruction, uint32_t mask) {
    Lanes<T> result;
    Lanes<T> a(warp, instruction.operands[1]), b(warp, instruction.operands[2]);
    uint32_t carries = 0;
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      const T carry = instruction.mode & 1 ? warp.carry >> lane & 1 : 0;
      const T once = isSub ? a[lane] - b[lane] : a[lane] + b[lane];
      result[lane] = isSub ? once - carry : once + carry;
      const bool overflows =
          isSub ? a[lane] < b[lane] || once < carry : once < a[lane] || result[lane] < once;
      carries |= uint32_t(overflows) << lane;
    }
    if (instruction.mode & 2)
      warp.carry = (warp.carry & ~mask) | (carries & mask);
    result.store(warp, instruction.operands[0], mask);
  }
};

/// d = a * b, as wide as the factors together, plus c where the statement has it.
template <bool isMad> void decodeWide(Decoder &decoder, Type type) {
  using Narrow = Types<uint16_t, int16_t, uint32_t, int32_t>;
  const Handler handler = choose(Narrow{}, type, []<typename T>() -> Handler {
    using W = typename Wider<T>::Type;
    if constexpr (isMad)
      return &mapLanes<Mad<MulWide>, W, T, T, W>;
    else
      return &mapLanes<MulWide, W, T, T>;
  });
  if (!handler)
    decoder.failType(type);
  const Type wide{type.kind, static_cast<uint8_t>(2 * type.bits), false};
  const Slot a = decoder.source(1, type), b = decoder.source(2, type);
  const Slot c = isMad ? decoder.source(3, wide) : Slot{};
  decoder.emit(handler, {decoder.destination(0, wide), a, b, c});
}

void decodeMul(Decoder &decoder) {
  const Type type = decoder.takeType();
  if (type.isFloat())
    return decodeFloatMul(decoder, type);
  switch (decoder.takeOneOf({"wide", "lo", "hi"})) {
  case 0:
    return decodeWide<false>(decoder, type);
  case 1:
    return decoder.emitSame(chooseMap<MulLow, 2>(IntegerTypes{}, type), type, 2);
  default:
    return decoder.emitSame(chooseMap<MulHigh, 2>(IntegerTypes{}, type), type, 2);
  }
}

void decodeMad(Decoder &decoder) {
  const Type type = decoder.takeType();
  if (type.isFloat())
    return decodeFloatMad(decoder, type);
  switch (decoder.takeOneOf({"wide", "lo", "hi"})) {
  case 0:
    return decodeWide<true>(decoder, type);
  case 1:
    return decoder.emitSame(chooseMap<Mad<MulLow>, 3>(IntegerTypes{}, type), type, 3);
  default:
    return decoder.emitSame(chooseMap<Mad<MulHigh>, 3>(IntegerTypes{}, type), type, 3);
  }
}

using WordTypes = Types<uint32_t, int32_t>;

void decodeMul24(Decoder &decoder) {
  const Type type = decoder.takeType();
  const bool isHigh = decoder.takeOneOf({"lo", "hi"}) == 1;
  decoder.emitSame(isHigh ? chooseMap<Mul24<true>, 2>(WordTypes{}, type)
                          : chooseMap<Mul24<false>, 2>(WordTypes{}, type),
                   type, 2);
}

void decodeMad24(Decoder &decoder) {
  const Type type = decoder.takeType();
  const bool isHigh = decoder.takeOneOf({"lo", "hi"}) == 1;
  decoder.emitSame(isHigh ? chooseMap<Mad<Mul24<true>>, 3>(WordTypes{}, type)
                          : chooseMap<Mad<Mul24<false>>, 3>(WordTypes{}, type),
                   type, 3);
}

void decodeSad(Decoder &decoder) {
  const Type type = decoder.takeType();
  decoder.emitSame(chooseMap<Sad, 3>(IntegerTypes{}, type), type, 3);
}

} // namespace

void decodeCarrying(Decoder &decoder, bool isSub, bool takesCarry) {
  const Type type = decoder.takeType().asUnsigned();
  const Handler handler = choose(Types<uint32_t, uint64_t>{}, type, [&]<typename T>() -> Handler {
    return isSub ? &Carrying<true>::run<T> : &Carrying<false>::run<T>;
  });
  if (!handler)
    decoder.failType(type);
  const Slot a = decoder.source(1, type), b = decoder.source(2, type);
  const bool setsCarry = decoder.take("cc");
  decoder.emit(handler, {decoder.destination(0, type), a, b}).mode =
      (takesCarry ? 1 : 0) | (setsCarry ? 2 : 0);
}

template <bool isSub> static void decodeWithCarry(Decoder &decoder) {
  decodeCarrying(decoder, isSub, true);
}

std::span<const Mnemonic> integerMnemonics() {
  static constexpr Mnemonic table[] = {
      {"mul", decodeMul},
      {"mad", decodeMad},
      {"mul24", decodeMul24},
      {"mad24", decodeMad24},
      {"sad", decodeSad},
      {"addc", decodeWithCarry<false>},
      {"subc", decodeWithCarry<true>},
  };
  return table;
}

} // namespace sheaf::standin::ptx
