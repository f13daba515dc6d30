// setp, set, selp, slct and testp: comparisons, and choices by them.
#include <functional>

#include "test/standin/ptx/lanes.h"
#include "test/standin/ptx/ops/ops.h"

namespace sheaf::standin::ptx {

namespace {

/// How two values compare. Of floats there are forms that hold for NaN too (`isUnordered`).
enum class Relation : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Num, NaN };

template <Relation relation, bool isUnordered> struct Compare {
  template <typename T> bool operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return holds(a, b);
    } else {
      const auto x = widen(a), y = widen(b);
      const bool isNaN = x != x || y != y;
      if (relation == Relation::NaN)
        return isNaN;
      if (relation == Relation::Num)
        return !isNaN;
      return isNaN ? isUnordered : holds(x, y);
    }
  }

private:
  template <typename T> static bool holds(T a, T b) {
    switch (relation) {
    case Relation::Eq:
      return a == b;
    case Relation::Ne:
      return a != b;
    case Relation::Lt:
      return a < b;
    case Relation::Le:
      return a <= b;
    case Relation::Gt:
      return a > b;
    case Relation::Ge:
      return a >= b;
    default:
      return false;
    }
  }
};

using ComparedTypes = decltype(join(IntegerTypes{}, Types<float, double, Half, BFloat>{}));

template <Relation relation, bool isUnordered> Handler chooseCompare(Type type) {
  return choose(ComparedTypes{}, type, []<typename T>() -> Handler {
    return &testLanes<Compare<relation, isUnordered>, T, T>;
  });
}

struct Comparison {
  std::string_view name;
  Handler (*choose)(Type type);
};

/// Of lo, ls, hi and hs the type is unsigned anyway.
constexpr Comparison comparisons[] = {
    {"eq", chooseCompare<Relation::Eq, false>},   {"ne", chooseCompare<Relation::Ne, false>},
    {"lt", chooseCompare<Relation::Lt, false>},   {"le", chooseCompare<Relation::Le, false>},
    {"gt", chooseCompare<Relation::Gt, false>},   {"ge", chooseCompare<Relation::Ge, false>},
    {"lo", chooseCompare<Relation::Lt, false>},   {"ls", chooseCompare<Relation::Le, false>},
    {"hi", chooseCompare<Relation::Gt, false>},   {"hs", chooseCompare<Relation::Ge, false>},
    {"equ", chooseCompare<Relation::Eq, true>},   {"neu", chooseCompare<Relation::Ne, true>},
    {"ltu", chooseCompare<Relation::Lt, true>},   {"leu", chooseCompare<Relation::Le, true>},
    {"gtu", chooseCompare<Relation::Gt, true>},   {"geu", chooseCompare<Relation::Ge, true>},
    {"num", chooseCompare<Relation::Num, false>}, {"nan", chooseCompare<Relation::NaN, true>},
};

enum class Combination : uint8_t { None, And, Or, Xor };

uint32_t combine(Combination how, uint32_t a, uint32_t b) {
  switch (how) {
  case Combination::And:
    return a & b;
  case Combination::Or:
    return a | b;
  case Combination::Xor:
    return a ^ b;
  case Combination::None:
    break;
  }
  return a;
}

/// operands: p, q, the comparison, c. p = it op c, q = !it op c.
void combinePredicates(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const auto how = static_cast<Combination>(instruction.mode);
  const uint32_t holds = warp.predicate(instruction.operands[2]);
  const uint32_t other = how == Combination::None ? 0 : warp.predicate(instruction.operands[3]);
  warp.setPredicate(instruction.operands[0], combine(how, holds, other), mask);
  warp.setPredicate(instruction.operands[1], combine(how, ~holds, other), mask);
}

const Comparison &takeComparison(Decoder &decoder) {
  for (const Comparison &candidate : comparisons)
    if (decoder.take(candidate.name))
      return candidate;
  decoder.fail("the comparison is missing or not supported");
}

/// Emits a comparison into a predicate, before what `combination` says.
Slot emitComparison(Decoder &decoder, const Comparison &comparison, Type type, Slot a, Slot b) {
  const Handler handler = comparison.choose(type.kind == Kind::Bits ? type.asUnsigned() : type);
  if (!handler)
    decoder.failType(type);
  const Slot holds = decoder.predicateTemporary();
  decoder.emit(handler, {holds, a, b});
  return holds;
}

Combination takeCombination(Decoder &decoder) {
  return static_cast<Combination>((decoder.takeOneOf({"and", "or", "xor"}, 3) + 1) % 4);
}

template <bool isHigh> struct TakeHalf {
  uint16_t operator()(uint32_t both) const {
    return static_cast<uint16_t>(isHigh ? both >> 16 : both);
  }
};

template <bool isHigh> Slot emitHalf(Decoder &decoder, Slot both) {
  const Slot half = decoder.temporary(16);
  decoder.emit(&mapLanes<TakeHalf<isHigh>, uint16_t, uint32_t>, {half, both});
  return half;
}

/// setp.lt{.and}.f16x2 p|q, a, b{, c}; the lower halves give p, the upper ones q.
void decodePackedSetp(Decoder &decoder, Type type, Combination how) {
  const Comparison &comparison = takeComparison(decoder);
  const Operand &target = decoder.operand(0);
  if (target.kind != Operand::Pair)
    decoder.fail("expected two predicates p|q");
  const Type half{type.kind, 16, false};
  const Slot a = decoder.source(1, type), b = decoder.source(2, type);
  const Slot c = how == Combination::None ? Slot{} : decoder.predicateSource(decoder.operand(3));
  const Slot low = emitComparison(decoder, comparison, half, emitHalf<false>(decoder, a),
                                  emitHalf<false>(decoder, b));
  const Slot high = emitComparison(decoder, comparison, half, emitHalf<true>(decoder, a),
                                   emitHalf<true>(decoder, b));
  const Slot unused = decoder.predicateTemporary();
  for (auto [part, holds] : {std::pair(0, low), std::pair(1, high)})
    decoder
        .emit(&combinePredicates,
              {decoder.predicateDestination(target.parts[static_cast<size_t>(part)]), unused, holds,
               c})
        .mode = static_cast<uint8_t>(how);
}

/// setp.lt{.and}.type p{|q}, a, b{, c};
void decodeSetp(Decoder &decoder) {
  const Combination how = takeCombination(decoder);
  const Type type = decoder.takeType();
  const Operand &target = decoder.operand(0);
  const bool isPair = target.kind == Operand::Pair;
  if (type.isFloat() && type.isPacked)
    return decodePackedSetp(decoder, type, how);
  const Comparison &comparison = takeComparison(decoder);
  const Slot holds =
      emitComparison(decoder, comparison, type, decoder.source(1, type), decoder.source(2, type));
  const Slot c = how == Combination::None ? Slot{} : decoder.predicateSource(decoder.operand(3));
  const Slot p = decoder.predicateDestination(isPair ? target.parts[0] : target);
  const Slot q =
      isPair ? decoder.predicateDestination(target.parts[1]) : decoder.predicateTemporary();
  decoder.emit(&combinePredicates, {p, q, holds, c}).mode = static_cast<uint8_t>(how);
}

/// set.lt{.and}.to.from d, a, b{, c};
void decodeSet(Decoder &decoder) {
  const Combination how = takeCombination(decoder);
  const Type to = decoder.takeType(), from = decoder.takeType();
  if (to.bits != 32)
    decoder.failType(to);
  const Comparison &comparison = takeComparison(decoder);
  Slot holds =
      emitComparison(decoder, comparison, from, decoder.source(1, from), decoder.source(2, from));
  if (how != Combination::None) {
    const Slot c = decoder.predicateSource(decoder.operand(3));
    decoder.emit(&combinePredicates, {holds, decoder.predicateTemporary(), holds, c}).mode =
        static_cast<uint8_t>(how);
  }
  const uint32_t one = to.isFloat() ? std::bit_cast<uint32_t>(1.0f) : allLanes;
  decoder
      .emit(
          [](Warp &warp, const Instruction &instruction, uint32_t mask) {
            const uint32_t holds = warp.predicate(instruction.operands[1]);
            Lanes<uint32_t> result;
            for (unsigned lane = 0; lane < warpSize; ++lane)
              result[lane] = holds >> lane & 1 ? static_cast<uint32_t>(instruction.immediate) : 0;
            result.store(warp, instruction.operands[0], mask);
          },
          {decoder.destination(0, to), holds})
      .immediate = one;
}

template <typename T> void selectLanes(Warp &warp, const Instruction &instruction, uint32_t mask) {
  Lanes<T> a(warp, instruction.operands[1]), b(warp, instruction.operands[2]);
  const uint32_t chosen = warp.predicate(instruction.operands[3]);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    b[lane] = chosen >> lane & 1 ? a[lane] : b[lane];
  b.store(warp, instruction.operands[0], mask);
}

/// selp.type d, a, b, c; d = c ? a : b
void decodeSelp(Decoder &decoder) {
  const Type type = decoder.takeType();
  const Handler handler = choose(UnsignedTypes{}, type.asUnsigned(),
                                 []<typename T>() -> Handler { return &selectLanes<T>; });
  if (!handler)
    decoder.failType(type);
  const Slot a = decoder.source(1, type), b = decoder.source(2, type);
  const Slot c = decoder.predicateSource(decoder.operand(3));
  decoder.emit(handler, {decoder.destination(0, type), a, b, c});
}

/// d = c >= 0 ? a : b
struct SelectBySign {
  template <typename T, typename C> T operator()(T a, T b, C c) const { return c >= 0 ? a : b; }
};

void decodeSlct(Decoder &decoder) {
  const Type type = decoder.takeType(), condition = decoder.takeType();
  const bool isFloat = condition.isFloat();
  if (condition.bits != 32)
    decoder.failType(condition);
  const Handler handler =
      choose(UnsignedTypes{}, type.asUnsigned(), [isFloat]<typename T>() -> Handler {
        return isFloat ? &mapLanes<SelectBySign, T, T, T, float>
                       : &mapLanes<SelectBySign, T, T, T, int32_t>;
      });
  if (!handler)
    decoder.failType(type);
  const Slot a = decoder.source(1, type), b = decoder.source(2, type);
  const Slot c = decoder.source(3, condition);
  decoder.emit(handler, {decoder.destination(0, type), a, b, c});
}

template <typename Test> Handler chooseTest(Type type) {
  return choose(WideFloatTypes{}, type,
                []<typename T>() -> Handler { return &testLanes<Test, T>; });
}
struct IsFinite {
  template <typename T> bool operator()(T a) const { return std::isfinite(a); }
};
struct IsInfinite {
  template <typename T> bool operator()(T a) const { return std::isinf(a); }
};
struct IsNumber {
  template <typename T> bool operator()(T a) const { return !std::isnan(a); }
};
struct IsNotANumber {
  template <typename T> bool operator()(T a) const { return std::isnan(a); }
};
struct IsNormal {
  template <typename T> bool operator()(T a) const { return std::isnormal(a); }
};
struct IsSubnormal {
  template <typename T> bool operator()(T a) const { return std::fpclassify(a) == FP_SUBNORMAL; }
};

void decodeTestp(Decoder &decoder) {
  constexpr Handler (*tests[])(Type) = {chooseTest<IsFinite>, chooseTest<IsInfinite>,
                                        chooseTest<IsNumber>, chooseTest<IsNotANumber>,
                                        chooseTest<IsNormal>, chooseTest<IsSubnormal>};
  const size_t test =
      decoder.takeOneOf({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  const Type type = decoder.takeType();
  const Handler handler = tests[test](type);
  if (!handler)
    decoder.failType(type);
  const Slot a = decoder.source(1, type);
  decoder.emit(handler, {decoder.predicateDestination(decoder.operand(0)), a});
}

} // namespace

std::span<const Mnemonic> compareMnemonics() {
  static constexpr Mnemonic table[] = {
      {"setp", decodeSetp}, {"set", decodeSet},     {"selp", decodeSelp},
      {"slct", decodeSlct}, {"testp", decodeTestp},
  };
  return table;
}

} // namespace sheaf::standin::ptx
