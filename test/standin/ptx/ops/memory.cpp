// ld, st and prefetch in all spaces and vector widths, and the fences among them.
#include <algorithm>

#include "test/standin/ptx/grid.h"
#include "test/standin/ptx/lanes.h"
#include "test/standin/ptx/ops/memory.h"
#include "test/standin/ptx/ops/ops.h"

namespace sheaf::standin::ptx {

namespace {

template <typename T> void loadLanes(Warp &warp, const Instruction &instruction, uint32_t mask) {
  std::byte *pointers[warpSize];
  const Placement placement = resolve(warp, instruction, instruction.operands[0], mask, pointers);
  if (placement == Placement::Dense && instruction.elements == 1) {
    std::memcpy(warp.at(instruction.operands[1]), pointers[0], sizeof(Lanes<T>));
    return;
  }
  for (unsigned element = 0; element < instruction.elements; ++element) {
    const Slot to = instruction.operands[1 + element];
    const uint64_t offset = element * sizeof(T);
    Lanes<T> values;
    if (placement == Placement::Same) {
      T value;
      std::memcpy(&value, pointers[0] + offset, sizeof value);
      std::fill_n(values.values, warpSize, value);
    } else {
      for (unsigned lane = 0; lane < warpSize; ++lane)
        if (mask >> lane & 1)
          std::memcpy(&values[lane], pointers[lane] + offset, sizeof(T));
    }
    values.store(warp, to, mask);
  }
}

template <typename T> void storeLanes(Warp &warp, const Instruction &instruction, uint32_t mask) {
  std::byte *pointers[warpSize];
  const Placement placement = resolve(warp, instruction, instruction.operands[0], mask, pointers);
  if (placement == Placement::Dense && instruction.elements == 1) {
    std::memcpy(pointers[0], warp.at(instruction.operands[1]), sizeof(Lanes<T>));
    return;
  }
  for (unsigned element = 0; element < instruction.elements; ++element) {
    const Lanes<T> values(warp, instruction.operands[1 + element]);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (mask >> lane & 1)
        std::memcpy(pointers[lane] + element * sizeof(T), &values[lane], sizeof(T));
  }
}

/// Modifiers that say how fast, how far or how long: one warp after the other, all are the same.
void takeHints(Decoder &decoder) {
  for (std::string_view hint : {"volatile",
                                "weak",
                                "relaxed",
                                "acquire",
                                "release",
                                "cta",
                                "cluster",
                                "gpu",
                                "sys",
                                "nc",
                                "ca",
                                "cg",
                                "cs",
                                "lu",
                                "cv",
                                "wb",
                                "wt",
                                "L1::evict_normal",
                                "L1::evict_unchanged",
                                "L1::evict_first",
                                "L1::evict_last",
                                "L1::no_allocate",
                                "L2::64B",
                                "L2::128B",
                                "L2::256B"})
    decoder.take(hint);
}

void decodeTransfer(Decoder &decoder, bool isLoad) {
  takeHints(decoder);
  const std::optional<Space> space = takeSpaceIfAny(decoder);
  constexpr uint8_t widths[] = {2, 4, 8, 1};
  const uint8_t elements = widths[decoder.takeOneOf({"v2", "v4", "v8"}, 3)];
  const Type type = decoder.takeType();
  const Operand &value = decoder.operand(isLoad ? 0 : 1);
  if (elements > 1 ? value.kind != Operand::Vector || value.parts.size() != elements
                   : value.kind == Operand::Vector && value.parts.size() != 1)
    decoder.fail("expected a vector of " + std::to_string(elements));
  const std::vector<Operand> &parts =
      value.kind == Operand::Vector ? value.parts : std::vector<Operand>{value};

  const MemoryOperand memory = decodeAddress(decoder, decoder.operand(isLoad ? 1 : 0), space);
  std::vector<Slot> slots = {memory.base};
  std::vector<Decoder::WideDestination> results;
  for (const Operand &part : parts) {
    if (isLoad)
      results.push_back(decoder.wideDestination(part, type));
    slots.push_back(isLoad ? results.back().value : decoder.wideSource(part, type));
  }
  using Bytes = Types<uint8_t, uint16_t, uint32_t, uint64_t>;
  const Handler handler = choose(Bytes{}, type.asUnsigned(), [&]<typename T>() -> Handler {
    return isLoad ? &loadLanes<T> : &storeLanes<T>;
  });
  if (!handler)
    decoder.failType(type);
  Instruction &transfer = decoder.emit(handler, {});
  std::ranges::copy(slots, transfer.operands.begin());
  memory.apply(transfer, elements, type, isLoad ? Access::Read : Access::Write);
  for (const Decoder::WideDestination &result : results)
    decoder.finishWide(result);
}

void decodeLoad(Decoder &decoder) { decodeTransfer(decoder, true); }
void decodeStore(Decoder &decoder) { decodeTransfer(decoder, false); }

/// Warps run one after the other and see each access at once: only who looks for races must know.
void decodeFence(Decoder &decoder) {
  const bool isWide = decoder.has("gpu") || decoder.has("sys") || decoder.has("gl");
  for (std::string_view modifier : {"acq_rel", "sc", "cta", "cluster", "gpu", "sys", "gl"})
    decoder.take(modifier);
  if (isWide)
    decoder.emit(
        [](Warp &warp, const Instruction &, uint32_t mask) {
          if (warp.grid->races)
            warp.grid->races->fence(warp, mask);
        },
        {});
}

void decodePrefetch(Decoder &decoder) {
  takeSpaceIfAny(decoder);
  decoder.takeOneOf({"L1", "L2", "L2::evict_last", "L2::evict_normal"});
}

} // namespace

std::optional<Space> takeSpaceIfAny(Decoder &decoder) {
  constexpr Space spaces[] = {Space::Global, Space::Const, Space::Shared, Space::Shared,
                              Space::Local,  Space::Param, Space::Param,  Space::Param};
  const size_t index = decoder.takeOneOf(
      {"global", "const", "shared", "shared::cta", "local", "param", "param::entry", "param::func"},
      std::size(spaces));
  return index == std::size(spaces) ? std::nullopt : std::optional(spaces[index]);
}

MemoryOperand decodeAddress(Decoder &decoder, const Operand &operand, std::optional<Space> space) {
  if (operand.kind != Operand::Address)
    decoder.fail("expected an address in []");
  const Decoder::AddressSlot address = decoder.address(operand);
  MemoryOperand memory{address.base, address.offset, space.value_or(Space::Generic)};
  // Without a space, a name stands for its own space.
  if (!space && address.space != Space::Generic)
    memory.space = address.space;
  if (address.isLocal) {
    // Arguments of calls lie in local memory too.
    memory.space = Space::Local;
    memory.base = decoder.temporary(64);
    emitLocalAddress(decoder, memory.base, address.base);
  }
  return memory;
}

void MemoryOperand::apply(Instruction &instruction, uint8_t elements, Type type,
                          Access access) const {
  instruction.space = space;
  instruction.immediate = offset;
  instruction.elements = elements;
  instruction.elementBytes = static_cast<uint8_t>(type.bytes());
  instruction.access = access;
}

std::span<const Mnemonic> memoryMnemonics() {
  static constexpr Mnemonic table[] = {
      {"ld", decodeLoad},
      {"ldu", decodeLoad},
      {"st", decodeStore},
      {"fence", decodeFence},
      {"membar", decodeFence},
      {"prefetch", decodePrefetch},
      {"prefetchu", decodePrefetch},
  };
  return table;
}

} // namespace sheaf::standin::ptx
