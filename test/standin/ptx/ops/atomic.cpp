// atom and red: read, compute and write in one step, lane after lane.
#include "test/standin/ptx/grid.h"
#include "test/standin/ptx/lanes.h"
#include "test/standin/ptx/ops/memory.h"
#include "test/standin/ptx/ops/ops.h"

namespace sheaf::standin::ptx {

namespace {

struct Add {
  template <typename T> T operator()(T old, T value, T) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<uint64_t>(old) + static_cast<uint64_t>(value));
    else
      return onWide([](auto x, auto y) { return x + y; }, old, value);
  }
};
struct Min {
  template <typename T> T operator()(T old, T value, T) const { return std::min(old, value); }
};
struct Max {
  template <typename T> T operator()(T old, T value, T) const { return std::max(old, value); }
};
struct And {
  template <typename T> T operator()(T old, T value, T) const { return old & value; }
};
struct Or {
  template <typename T> T operator()(T old, T value, T) const { return old | value; }
};
struct Xor {
  template <typename T> T operator()(T old, T value, T) const { return old ^ value; }
};
/// Counts up to `value`, then starts again.
struct Increment {
  template <typename T> T operator()(T old, T value, T) const {
    return old >= value ? T(0) : static_cast<T>(old + 1);
  }
};
struct Decrement {
  template <typename T> T operator()(T old, T value, T) const {
    return old == 0 || old > value ? value : static_cast<T>(old - 1);
  }
};
struct Exchange {
  template <typename T> T operator()(T old, T value, T) const { return value; }
};
struct CompareAndSwap {
  template <typename T> T operator()(T old, T expected, T value) const {
    return old == expected ? value : old;
  }
};

/// operands: the address, the old value, one or two values.
template <typename Op, typename T>
void updateLanes(Warp &warp, const Instruction &instruction, uint32_t mask) {
  std::byte *pointers[warpSize];
  resolve(warp, instruction, instruction.operands[0], mask, pointers);
  Lanes<T> olds(warp, instruction.operands[1]);
  const Lanes<T> first(warp, instruction.operands[2]), second(warp, instruction.operands[3]);
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    std::memcpy(&olds[lane], pointers[lane], sizeof(T));
    T result;
    if constexpr (IsPacked<T>::value)
      result =
          applyPacked<Op, typename IsPacked<T>::Element>(olds[lane], first[lane], second[lane]);
    else
      result = Op()(olds[lane], first[lane], second[lane]);
    std::memcpy(pointers[lane], &result, sizeof(T));
  }
  olds.store(warp, instruction.operands[1], mask);
}

template <typename Op, typename List> Handler chooseUpdate(Type type) {
  return choose(List{}, type, []<typename T>() -> Handler { return &updateLanes<Op, T>; });
}

using Unsigned = Types<uint32_t, uint64_t>;
using Ordered = Types<uint32_t, uint64_t, int32_t, int64_t>;
using Summed = decltype(join(Ordered{}, FloatTypes{}));

struct Update {
  std::string_view name;
  Handler (*choose)(Type type);
};
constexpr Update updates[] = {
    {"add", chooseUpdate<Add, Summed>},
    {"min", chooseUpdate<Min, Ordered>},
    {"max", chooseUpdate<Max, Ordered>},
    {"and", chooseUpdate<And, Unsigned>},
    {"or", chooseUpdate<Or, Unsigned>},
    {"xor", chooseUpdate<Xor, Unsigned>},
    {"inc", chooseUpdate<Increment, Unsigned>},
    {"dec", chooseUpdate<Decrement, Unsigned>},
    {"exch", chooseUpdate<Exchange, UnsignedTypes>},
    {"cas", chooseUpdate<CompareAndSwap, UnsignedTypes>},
};

void decodeUpdate(Decoder &decoder, bool hasResult) {
  for (std::string_view hint : {"relaxed", "acquire", "release", "acq_rel", "seq_cst", "cta",
                                "cluster", "gpu", "sys", "noftz"})
    decoder.take(hint);
  const std::optional<Space> space = takeSpaceIfAny(decoder);
  const Update *update = nullptr;
  for (const Update &candidate : updates)
    if (decoder.take(candidate.name))
      update = &candidate;
  if (!update)
    decoder.fail("the operation is missing or not supported");
  const Type type = decoder.takeType();
  const Handler handler = update->choose(type.kind == Kind::Bits ? type.asUnsigned() : type);
  if (!handler)
    decoder.failType(type);
  const size_t first = hasResult ? 1 : 0;
  const MemoryOperand memory = decodeAddress(decoder, decoder.operand(first), space);
  const Slot value = decoder.source(first + 1, type);
  const Slot second = decoder.numOperands() > first + 2 ? decoder.source(first + 2, type) : value;
  const Slot old = hasResult ? decoder.destination(0, type) : decoder.temporary(type.bits);
  memory.apply(decoder.emit(handler, {memory.base, old, value, second}), 1, type, Access::Atomic);
}

void decodeAtom(Decoder &decoder) { decodeUpdate(decoder, true); }
void decodeRed(Decoder &decoder) { decodeUpdate(decoder, false); }

} // namespace

std::span<const Mnemonic> atomicMnemonics() {
  static constexpr Mnemonic table[] = {{"atom", decodeAtom}, {"red", decodeRed}};
  return table;
}

} // namespace sheaf::standin::ptx
