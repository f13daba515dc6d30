// What the lanes of a warp do together: shuffles, votes, matches and reductions.
#include <algorithm>
#include <bit>

#include "test/standin/ptx/grid.h"
#include "test/standin/ptx/lanes.h"
#include "test/standin/ptx/ops/ops.h"

namespace sheaf::standin::ptx {

namespace {

Instruction &emitMeeting(Decoder &decoder, Handler handler, std::initializer_list<Slot> operands,
                         Slot members) {
  Instruction &instruction = decoder.emit(handler, operands);
  instruction.flow = Flow::Meet;
  instruction.members = members;
  return instruction;
}

Slot membersOf(Decoder &decoder, size_t operand) {
  return decoder.source(operand, typeOf<uint32_t>());
}

enum class Shuffle : uint8_t { Up, Down, Butterfly, Index };

/// The lane that `lane` reads from, and whether it lies within the segment (else it reads itself).
std::pair<uint32_t, bool> shuffleSource(Shuffle how, uint32_t lane, uint32_t b, uint32_t c) {
  const uint32_t segment = c >> 8 & 31, clamp = c & 31;
  const uint32_t lowest = lane & segment, last = lowest | (clamp & ~segment);
  const int step = static_cast<int>(b & 31);
  int from = static_cast<int>(lane);
  bool isInside = false;
  switch (how) {
  case Shuffle::Up:
    from -= step;
    isInside = from >= static_cast<int>(last);
    break;
  case Shuffle::Down:
    from += step;
    isInside = from <= static_cast<int>(last);
    break;
  case Shuffle::Butterfly:
    from ^= step;
    isInside = from <= static_cast<int>(last);
    break;
  case Shuffle::Index:
    from = static_cast<int>(lowest | (static_cast<uint32_t>(step) & ~segment));
    isInside = from <= static_cast<int>(last);
    break;
  }
  return {isInside ? static_cast<uint32_t>(from) : lane, isInside};
}

/// operands: d, p, a, b, c.
void shuffleLanes(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const Lanes<uint32_t> a(warp, instruction.operands[2]), b(warp, instruction.operands[3]),
      c(warp, instruction.operands[4]);
  Lanes<uint32_t> result;
  uint32_t inside = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    auto [from, isInside] =
        shuffleSource(static_cast<Shuffle>(instruction.mode), lane, b[lane], c[lane]);
    if (mask >> lane & 1 && !(mask >> from & 1))
      throw TrapError("the shuffle of " + describeLane(warp, lane) + " reads lane " +
                      std::to_string(from) + ", which does not take part");
    result[lane] = a[from];
    inside |= uint32_t(isInside) << lane;
  }
  result.store(warp, instruction.operands[0], mask);
  warp.setPredicate(instruction.operands[1], inside, mask);
}

/// shfl.sync.mode.b32 d{|p}, a, b, c, members;
void decodeShuffle(Decoder &decoder) {
  if (!decoder.take("sync"))
    decoder.fail("only the .sync form is supported");
  const size_t how = decoder.takeOneOf({"up", "down", "bfly", "idx"});
  const Type type = decoder.takeType(), word = typeOf<uint32_t>();
  const Operand &target = decoder.operand(0);
  const bool isPair = target.kind == Operand::Pair;
  const Slot a = decoder.source(1, type), b = decoder.source(2, word), c = decoder.source(3, word);
  const Slot members = membersOf(decoder, 4);
  const Slot d = decoder.destination(isPair ? target.parts[0] : target, type);
  const Slot p =
      isPair ? decoder.predicateDestination(target.parts[1]) : decoder.predicateTemporary();
  if (type.bits != 32)
    decoder.failType(type);
  emitMeeting(decoder, &shuffleLanes, {d, p, a, b, c}, members).mode = static_cast<uint8_t>(how);
}

enum class Vote : uint8_t { All, Any, Uniform, Ballot };

void voteLanes(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const uint32_t votes = warp.predicate(instruction.operands[1]) & mask;
  bool holds = false;
  switch (static_cast<Vote>(instruction.mode)) {
  case Vote::Ballot: {
    Lanes<uint32_t> result;
    std::fill_n(result.values, warpSize, votes);
    return result.store(warp, instruction.operands[0], mask);
  }
  case Vote::All:
    holds = votes == mask;
    break;
  case Vote::Any:
    holds = votes != 0;
    break;
  case Vote::Uniform:
    holds = votes == 0 || votes == mask;
    break;
  }
  warp.setPredicate(instruction.operands[0], holds ? allLanes : 0, mask);
}

void decodeVote(Decoder &decoder) {
  if (!decoder.take("sync"))
    decoder.fail("only the .sync form is supported");
  const size_t how = decoder.takeOneOf({"all", "any", "uni", "ballot"});
  const Type type = decoder.takeType();
  const Slot vote = decoder.predicateSource(decoder.operand(1));
  const Slot members = membersOf(decoder, 2);
  const Slot result = static_cast<Vote>(how) == Vote::Ballot
                          ? decoder.destination(0, type)
                          : decoder.predicateDestination(decoder.operand(0));
  emitMeeting(decoder, &voteLanes, {result, vote}, members).mode = static_cast<uint8_t>(how);
}

/// match.any: the lanes whose value is the same.
template <typename T> void matchAny(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const Lanes<T> a(warp, instruction.operands[2]);
  Lanes<uint32_t> result;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    result[lane] = 0;
    for (unsigned other = 0; other < warpSize; ++other)
      result[lane] |= uint32_t(a[other] == a[lane]) << other;
    result[lane] &= mask;
  }
  result.store(warp, instruction.operands[0], mask);
}

/// match.all: all lanes if all values are the same, else none.
template <typename T> void matchAll(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const Lanes<T> a(warp, instruction.operands[2]);
  bool isSame = true;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    isSame &= !(mask >> lane & 1) || a[lane] == a[std::countr_zero(mask)];
  Lanes<uint32_t> result;
  std::fill_n(result.values, warpSize, isSame ? mask : 0);
  result.store(warp, instruction.operands[0], mask);
  warp.setPredicate(instruction.operands[1], isSame ? allLanes : 0, mask);
}

void decodeMatch(Decoder &decoder) {
  if (!decoder.take("sync"))
    decoder.fail("only the .sync form is supported");
  const bool isAll = decoder.takeOneOf({"any", "all"}) == 1;
  const Type type = decoder.takeType();
  const Handler handler =
      choose(Types<uint32_t, uint64_t>{}, type.asUnsigned(),
             [isAll]<typename T>() -> Handler { return isAll ? &matchAll<T> : &matchAny<T>; });
  if (!handler)
    decoder.failType(type);
  const Operand &target = decoder.operand(0);
  const bool isPair = target.kind == Operand::Pair;
  const Slot a = decoder.source(1, type), members = membersOf(decoder, 2);
  const Slot d = decoder.destination(isPair ? target.parts[0] : target, typeOf<uint32_t>());
  const Slot p =
      isPair ? decoder.predicateDestination(target.parts[1]) : decoder.predicateTemporary();
  emitMeeting(decoder, handler, {d, p, a}, members);
}

struct Sum {
  template <typename T> T operator()(T a, T b) const {
    return static_cast<T>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
  }
};
struct Least {
  template <typename T> T operator()(T a, T b) const { return std::min(a, b); }
};
struct Greatest {
  template <typename T> T operator()(T a, T b) const { return std::max(a, b); }
};
struct Both {
  template <typename T> T operator()(T a, T b) const { return a & b; }
};
struct Either {
  template <typename T> T operator()(T a, T b) const { return a | b; }
};
struct Different {
  template <typename T> T operator()(T a, T b) const { return a ^ b; }
};

template <typename Op, typename T>
void reduceLanes(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const Lanes<T> a(warp, instruction.operands[1]);
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  T total = a[first];
  for (unsigned lane = first + 1; lane < warpSize; ++lane)
    if (mask >> lane & 1)
      total = Op()(total, a[lane]);
  Lanes<T> result;
  std::fill_n(result.values, warpSize, total);
  result.store(warp, instruction.operands[0], mask);
}

template <typename Op> Handler chooseReduction(Type type) {
  return choose(Types<uint32_t, int32_t>{}, type,
                []<typename T>() -> Handler { return &reduceLanes<Op, T>; });
}

void decodeRedux(Decoder &decoder) {
  constexpr Handler (*reductions[])(Type) = {chooseReduction<Sum>,      chooseReduction<Least>,
                                             chooseReduction<Greatest>, chooseReduction<Both>,
                                             chooseReduction<Either>,   chooseReduction<Different>};
  if (!decoder.take("sync"))
    decoder.fail("only the .sync form is supported");
  const size_t which = decoder.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  const Type type = decoder.takeType();
  const Handler handler = reductions[which](type.kind == Kind::Bits ? type.asUnsigned() : type);
  if (!handler)
    decoder.failType(type);
  const Slot a = decoder.source(1, type), members = membersOf(decoder, 2);
  emitMeeting(decoder, handler, {decoder.destination(0, type), a}, members);
}

void decodeActiveMask(Decoder &decoder) {
  const Type type = decoder.takeType();
  decoder.emit(
      [](Warp &warp, const Instruction &instruction, uint32_t mask) {
        Lanes<uint32_t> result;
        std::fill_n(result.values, warpSize, mask);
        result.store(warp, instruction.operands[0], mask);
      },
      {decoder.destination(0, type)});
}

} // namespace

std::span<const Mnemonic> warpMnemonics() {
  static constexpr Mnemonic table[] = {
      {"shfl", decodeShuffle},          {"vote", decodeVote},
      {"match", decodeMatch},           {"redux", decodeRedux},
      {"activemask", decodeActiveMask},
  };
  return table;
}

} // namespace sheaf::standin::ptx
