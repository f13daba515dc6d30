// Bitwise operations, shifts, bit fields, counts and permutations of bytes.
#include <algorithm>
#include <bit>

#include "test/standin/ptx/lanes.h"
#include "test/standin/ptx/ops/ops.h"

namespace sheaf::standin::ptx {

namespace {

struct And {
  template <typename T> T operator()(T a, T b) const { return a & b; }
};
struct Or {
  template <typename T> T operator()(T a, T b) const { return a | b; }
};
struct Xor {
  template <typename T> T operator()(T a, T b) const { return a ^ b; }
};
struct Not {
  template <typename T> T operator()(T a) const { return ~a; }
};
struct CNot {
  template <typename T> T operator()(T a) const { return a == 0; }
};
/// Shifts by more than the width clear the number, or leave only its sign.
struct Shl {
  template <typename T> T operator()(T a, uint32_t by) const {
    return by < 8 * sizeof(T) ? static_cast<T>(a << by) : T(0);
  }
};
struct Shr {
  template <typename T> T operator()(T a, uint32_t by) const {
    constexpr uint32_t width = 8 * sizeof(T);
    if (by >= width)
      return std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
    return static_cast<T>(a >> by);
  }
};
/// 32 bits out of the 64 of high:low; too far shifts wrap around or clamp.
template <bool isLeft, bool wraps> struct FunnelShift {
  uint32_t operator()(uint32_t low, uint32_t high, uint32_t by) const {
    by = wraps ? by & 31 : std::min(by, 32u);
    const uint64_t both = uint64_t(high) << 32 | low;
    return static_cast<uint32_t>(isLeft ? both << by >> 32 : both >> by);
  }
};
struct BitFieldExtract {
  template <typename T> T operator()(T a, uint32_t position, uint32_t length) const {
    constexpr uint32_t width = 8 * sizeof(T);
    position &= 255;
    length &= 255;
    using U = std::make_unsigned_t<T>;
    const uint32_t last = std::min(position + length, width) - 1;
    const bool fills = std::is_signed_v<T> && length > 0 && U(a) >> std::min(last, width - 1) & 1;
    U result = 0;
    for (uint32_t i = 0; i < width; ++i) {
      const bool isInside = i < length && position + i < width;
      const bool bit = isInside ? U(a) >> (position + i) & 1 : fills;
      result |= U(bit) << i;
    }
    return static_cast<T>(result);
  }
};
struct BitFieldInsert {
  template <typename T> T operator()(T field, T base, uint32_t position, uint32_t length) const {
    constexpr uint32_t width = 8 * sizeof(T);
    position &= 255;
    length &= 255;
    for (uint32_t i = 0; i < length && position + i < width; ++i)
      base = (base & ~(T(1) << (position + i))) | (field >> i & 1) << (position + i);
    return base;
  }
};
struct PopCount {
  template <typename T> uint32_t operator()(T a) const { return std::popcount(a); }
};
struct CountLeadingZeros {
  template <typename T> uint32_t operator()(T a) const { return std::countl_zero(a); }
};
/// The highest bit that differs from the sign, or all ones; or how far it is from the top.
template <bool isShift> struct FindBit {
  template <typename T> uint32_t operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    const U bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
    if (bits == 0)
      return allLanes;
    const uint32_t zeros = std::countl_zero(bits);
    return isShift ? zeros : 8 * sizeof(T) - 1 - zeros;
  }
};
struct BitReverse {
  template <typename T> T operator()(T a) const {
    T reversed = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i)
      reversed |= (a >> i & 1) << (8 * sizeof(T) - 1 - i);
    return reversed;
  }
};
/// Each nibble of `selector` chooses a byte of b:a, or its sign.
struct Permute {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t selector) const {
    const uint64_t bytes = uint64_t(b) << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const uint32_t choice = selector >> (4 * i) & 15;
      uint32_t byte = bytes >> (8 * (choice & 7)) & 255;
      if (choice & 8)
        byte = byte & 128 ? 255 : 0;
      result |= byte << (8 * i);
    }
    return result;
  }
};
/// Any function of three bits: bit abc of `table` is its value.
struct Lookup {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c, uint32_t table) const {
    uint32_t result = 0;
    for (unsigned i = 0; i < 8; ++i)
      if (table >> i & 1)
        result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
  }
};

using WordTypes = Types<uint32_t, uint64_t>;
using AllWordTypes = Types<uint32_t, uint64_t, int32_t, int64_t>;

template <typename Op, size_t numSources>
void mapPredicates(Warp &warp, const Instruction &instruction, uint32_t mask) {
  if constexpr (numSources == 1)
    warp.setPredicate(instruction.operands[0], Op()(warp.predicate(instruction.operands[1])), mask);
  else
    warp.setPredicate(
        instruction.operands[0],
        Op()(warp.predicate(instruction.operands[1]), warp.predicate(instruction.operands[2])),
        mask);
}

template <typename Op, size_t numSources> void decodeBitwise(Decoder &decoder) {
  const Type type = decoder.takeType();
  if (type.kind != Kind::Predicate)
    return decoder.emitSame(chooseMap<Op, numSources>(UnsignedTypes{}, type.asUnsigned()), type,
                            numSources);
  const Slot a = decoder.predicateSource(decoder.operand(1));
  const Slot b = numSources == 2 ? decoder.predicateSource(decoder.operand(2)) : Slot{};
  decoder.emit(&mapPredicates<Op, numSources>,
               {decoder.predicateDestination(decoder.operand(0)), a, b});
}

/// The handler of Op(T, uint32_t...), where there are `numCounts` of the latter.
template <typename Op, size_t numCounts, typename List>
Handler chooseCounted(List list, Type type) {
  return choose(list, type, []<typename T>() -> Handler {
    if constexpr (numCounts == 1)
      return &mapLanes<Op, T, T, uint32_t>;
    else
      return &mapLanes<Op, T, T, uint32_t, uint32_t>;
  });
}

template <typename Op> void decodeShift(Decoder &decoder) {
  const Type type = decoder.takeType();
  const Type shifted = type.kind == Kind::Signed ? type : type.asUnsigned();
  const Handler handler = chooseCounted<Op, 1>(IntegerTypes{}, shifted);
  if (!handler)
    decoder.failType(type);
  const Slot a = decoder.source(1, type), by = decoder.source(2, typeOf<uint32_t>());
  decoder.emit(handler, {decoder.destination(0, type), a, by});
}

void decodeFunnelShift(Decoder &decoder) {
  const bool isLeft = decoder.takeOneOf({"l", "r"}) == 0;
  const bool wraps = decoder.takeOneOf({"wrap", "clamp"}) == 0;
  const Type type = decoder.takeType();
  using Op = Handler;
  const Op handlers[2][2] = {
      {&mapLanes<FunnelShift<false, false>, uint32_t, uint32_t, uint32_t, uint32_t>,
       &mapLanes<FunnelShift<false, true>, uint32_t, uint32_t, uint32_t, uint32_t>},
      {&mapLanes<FunnelShift<true, false>, uint32_t, uint32_t, uint32_t, uint32_t>,
       &mapLanes<FunnelShift<true, true>, uint32_t, uint32_t, uint32_t, uint32_t>}};
  decoder.emitSame(type.bits == 32 ? handlers[isLeft][wraps] : nullptr, type, 3);
}

void decodeBfe(Decoder &decoder) {
  const Type type = decoder.takeType();
  const Handler handler = chooseCounted<BitFieldExtract, 2>(AllWordTypes{}, type);
  if (!handler)
    decoder.failType(type);
  const Type count = typeOf<uint32_t>();
  const Slot a = decoder.source(1, type), b = decoder.source(2, count),
             c = decoder.source(3, count);
  decoder.emit(handler, {decoder.destination(0, type), a, b, c});
}

void decodeBfi(Decoder &decoder) {
  const Type type = decoder.takeType().asUnsigned(), count = typeOf<uint32_t>();
  const Handler handler = choose(WordTypes{}, type, []<typename T>() -> Handler {
    return &mapLanes<BitFieldInsert, T, T, T, uint32_t, uint32_t>;
  });
  if (!handler)
    decoder.failType(type);
  const Slot a = decoder.source(1, type), b = decoder.source(2, type);
  const Slot c = decoder.source(3, count), d = decoder.source(4, count);
  decoder.emit(handler, {decoder.destination(0, type), a, b, c, d});
}

/// Op(T) is a count of 32 bits.
template <typename Op, typename List> void decodeCount(Decoder &decoder, Type type) {
  const Handler handler =
      choose(List{}, type, []<typename T>() -> Handler { return &mapLanes<Op, uint32_t, T>; });
  if (!handler)
    decoder.failType(type);
  const Slot a = decoder.source(1, type);
  decoder.emit(handler, {decoder.destination(0, typeOf<uint32_t>()), a});
}
template <typename Op> void decodeUnsignedCount(Decoder &decoder) {
  decodeCount<Op, WordTypes>(decoder, decoder.takeType().asUnsigned());
}
void decodeFindBit(Decoder &decoder) {
  const Type type = decoder.takeType();
  if (decoder.take("shiftamt"))
    decodeCount<FindBit<true>, AllWordTypes>(decoder, type);
  else
    decodeCount<FindBit<false>, AllWordTypes>(decoder, type);
}

void decodeReverse(Decoder &decoder) {
  const Type type = decoder.takeType().asUnsigned();
  decoder.emitSame(chooseMap<BitReverse, 1>(WordTypes{}, type), type, 1);
}

template <typename Op, size_t numSources> void decodeOfWords(Decoder &decoder) {
  const Type type = decoder.takeType().asUnsigned();
  decoder.emitSame(chooseMap<Op, numSources>(Types<uint32_t>{}, type), type, numSources);
}

} // namespace

std::span<const Mnemonic> bitMnemonics() {
  static constexpr Mnemonic table[] = {
      {"and", decodeBitwise<And, 2>},
      {"or", decodeBitwise<Or, 2>},
      {"xor", decodeBitwise<Xor, 2>},
      {"not", decodeBitwise<Not, 1>},
      {"cnot", decodeBitwise<CNot, 1>},
      {"shl", decodeShift<Shl>},
      {"shr", decodeShift<Shr>},
      {"shf", decodeFunnelShift},
      {"bfe", decodeBfe},
      {"bfi", decodeBfi},
      {"popc", decodeUnsignedCount<PopCount>},
      {"clz", decodeUnsignedCount<CountLeadingZeros>},
      {"bfind", decodeFindBit},
      {"brev", decodeReverse},
      {"prmt", decodeOfWords<Permute, 3>},
      {"lop3", decodeOfWords<Lookup, 4>},
  };
  return table;
}

} // namespace sheaf::standin::ptx
