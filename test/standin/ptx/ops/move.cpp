// mov in all its forms, cvta and isspacep.
#include <algorithm>

#include "test/standin/ptx/grid.h"
#include "test/standin/ptx/lanes.h"
#include "test/standin/ptx/ops/ops.h"

namespace sheaf::standin::ptx {

namespace {

struct Copy {
  template <typename T> T operator()(T a) const { return a; }
};

/// operands[0] = the parts, of which the first is the lowest.
void packLanes(Warp &warp, const Instruction &instruction, uint32_t mask) {
  Lanes<uint64_t> result;
  const unsigned parts = instruction.elements, bytes = instruction.elementBytes;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    result[lane] = 0;
    for (unsigned part = 0; part < parts; ++part)
      std::memcpy(reinterpret_cast<std::byte *>(&result[lane]) + part * bytes,
                  warp.at(instruction.operands[1 + part]) + lane * bytes, bytes);
  }
  std::byte *to = warp.at(instruction.operands[0]);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (mask >> lane & 1)
      std::memcpy(to + lane * parts * bytes, &result[lane], parts * bytes);
}

/// The parts = the last operand.
void unpackLanes(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const unsigned parts = instruction.elements, bytes = instruction.elementBytes;
  // A part may be the register that is taken apart.
  Lanes<uint64_t> whole;
  std::memcpy(&whole, warp.at(instruction.operands[parts]), size_t(warpSize) * parts * bytes);
  for (unsigned part = 0; part < parts; ++part)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (mask >> lane & 1)
        std::memcpy(warp.at(instruction.operands[part]) + lane * bytes,
                    reinterpret_cast<std::byte *>(&whole) + (lane * parts + part) * bytes, bytes);
}

Type partType(Decoder &decoder, Type whole, const Operand &vector) {
  const size_t parts = vector.parts.size();
  if ((parts != 2 && parts != 4) || whole.bits / parts < 8)
    decoder.fail("a register has 2 or 4 parts");
  return {Kind::Unsigned, static_cast<uint8_t>(whole.bits / parts), false};
}

void decodePack(Decoder &decoder, Type type, const Operand &vector) {
  const Type part = partType(decoder, type, vector);
  std::vector<Slot> parts;
  for (const Operand &operand : vector.parts)
    parts.push_back(decoder.source(operand, part));
  Instruction &pack = decoder.emit(&packLanes, {decoder.destination(0, type)});
  std::ranges::copy(parts, pack.operands.begin() + 1);
  pack.elements = static_cast<uint8_t>(parts.size());
  pack.elementBytes = part.bytes();
}

void decodeUnpack(Decoder &decoder, Type type, const Operand &vector) {
  const Type part = partType(decoder, type, vector);
  std::vector<Slot> slots;
  for (const Operand &operand : vector.parts)
    slots.push_back(decoder.destination(operand, part));
  slots.push_back(decoder.source(1, type));
  Instruction &unpack = decoder.emit(&unpackLanes, {});
  std::ranges::copy(slots, unpack.operands.begin());
  unpack.elements = static_cast<uint8_t>(vector.parts.size());
  unpack.elementBytes = part.bytes();
}

/// %clock and the like count the instructions of the warp: time that only moves forward.
void readClock(Warp &warp, const Instruction &instruction, uint32_t mask) {
  Lanes<uint64_t> now;
  std::fill_n(now.values, warpSize, warp.steps);
  now.store(warp, instruction.operands[0], mask);
}

bool isClock(const Operand &operand) {
  return operand.kind == Operand::Special &&
         (operand.name == "%clock" || operand.name == "%clock64" || operand.name == "%globaltimer");
}

void decodeMov(Decoder &decoder) {
  const Type type = decoder.takeType();
  const Operand &to = decoder.operand(0), &from = decoder.operand(1);
  if (type.kind == Kind::Predicate) {
    const Slot value = decoder.predicateSource(from);
    decoder.emit(
        [](Warp &warp, const Instruction &instruction, uint32_t mask) {
          warp.setPredicate(instruction.operands[0], warp.predicate(instruction.operands[1]), mask);
        },
        {decoder.predicateDestination(to), value});
  } else if (from.kind == Operand::Vector) {
    decodePack(decoder, type, from);
  } else if (to.kind == Operand::Vector) {
    decodeUnpack(decoder, type, to);
  } else if (isClock(from)) {
    const Slot time = decoder.temporary(64);
    decoder.emit(&readClock, {time});
    emitConversion(decoder, decoder.destination(0, type), type.asUnsigned(), time,
                   typeOf<uint64_t>());
  } else {
    decoder.emitSame(chooseMap<Copy, 1>(UnsignedTypes{}, type.asUnsigned()), type, 1);
  }
}

uint64_t windowOf(Space space) {
  switch (space) {
  case Space::Shared:
    return sharedWindow;
  case Space::Local:
    return localWindow;
  case Space::Param:
    return paramWindow;
  default:
    return 0;
  }
}

Space takeSpace(Decoder &decoder) {
  constexpr Space spaces[] = {Space::Global, Space::Const, Space::Shared, Space::Shared,
                              Space::Local,  Space::Param, Space::Param};
  return spaces[decoder.takeOneOf(
      {"global", "const", "shared", "shared::cta", "local", "param", "param::entry"})];
}

/// cvta{.to}.space: an address of the space as a generic one, or back.
void decodeCvta(Decoder &decoder) {
  const bool isBack = decoder.take("to");
  const uint64_t window = windowOf(takeSpace(decoder));
  const Type type = decoder.takeType();
  if (type.bits != 64)
    decoder.failType(type);
  const Slot from = decoder.source(1, type);
  decoder
      .emit(
          [](Warp &warp, const Instruction &instruction, uint32_t mask) {
            Lanes<uint64_t> addresses(warp, instruction.operands[1]);
            for (uint64_t &address : addresses.values)
              address += static_cast<uint64_t>(instruction.immediate);
            addresses.store(warp, instruction.operands[0], mask);
          },
          {decoder.destination(0, type), from})
      .immediate = static_cast<int64_t>(isBack ? -window : window);
}

void decodeIsSpace(Decoder &decoder) {
  const uint64_t window = windowOf(takeSpace(decoder));
  const Slot address = decoder.source(1, typeOf<uint64_t>());
  decoder
      .emit(
          [](Warp &warp, const Instruction &instruction, uint32_t mask) {
            Lanes<uint64_t> addresses(warp, instruction.operands[1]);
            bool flags[warpSize];
            for (unsigned lane = 0; lane < warpSize; ++lane)
              flags[lane] =
                  (addresses[lane] & windowMask) == static_cast<uint64_t>(instruction.immediate);
            warp.setPredicate(instruction.operands[0], packFlags(flags), mask);
          },
          {decoder.predicateDestination(decoder.operand(0)), address})
      .immediate = static_cast<int64_t>(window);
}

} // namespace

void emitLocalAddress(Decoder &decoder, Slot to, Slot offset) {
  decoder.emit(
      [](Warp &warp, const Instruction &instruction, uint32_t mask) {
        Lanes<uint64_t> addresses(warp, instruction.operands[1]);
        for (uint64_t &address : addresses.values)
          address += warp.localBase();
        addresses.store(warp, instruction.operands[0], mask);
      },
      {to, offset});
}

std::span<const Mnemonic> moveMnemonics() {
  static constexpr Mnemonic table[] = {
      {"mov", decodeMov}, {"cvta", decodeCvta}, {"isspacep", decodeIsSpace}};
  return table;
}

} // namespace sheaf::standin::ptx
