// Turns the operands of statements into slots.
#include <algorithm>
#include <bit>

#include "test/standin/ptx/decoder.h"
#include "test/standin/ptx/grid.h"
#include "test/standin/ptx/lanes.h"
#include "test/standin/ptx/number.h"
#include "test/standin/ptx/ops/ops.h"

namespace sheaf::standin::ptx {

Slot Decoder::temporary(unsigned bits) {
  const Slot slot{(code.frameBytes + 7) / 8 * 8, Slot::Frame};
  code.frameBytes = slot.offset + warpSize * std::max(bits / 8, 1u);
  return slot;
}

Slot Decoder::predicateTemporary() {
  const Slot slot{(code.frameBytes + 3) / 4 * 4, Slot::Frame};
  code.frameBytes = slot.offset + 4;
  return slot;
}

Slot Decoder::constant(uint64_t bits, Type type) {
  const unsigned bytes = type.bytes();
  auto [known, isNew] = constants.emplace(std::pair(bits, bytes), 0);
  if (isNew) {
    known->second = static_cast<uint32_t>((code.constants.size() + 7) / 8 * 8);
    code.constants.resize(known->second + warpSize * bytes);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      std::memcpy(code.constants.data() + known->second + lane * bytes, &bits, bytes);
  }
  return {known->second, Slot::Constants};
}

unsigned Decoder::registerBits(const Operand &operand) {
  return operand.kind == Operand::Register ? function.registers[operand.index].bits : 0;
}

bool Decoder::isPredicate(const Operand &operand) {
  return operand.kind == Operand::Register &&
         function.registers[operand.index].kind == Kind::Predicate;
}

Slot Decoder::special(const Operand &operand, Type type) {
  std::optional<SpecialRegister> found = findSpecialRegister(operand.name);
  if (!found)
    fail("the register " + operand.name + " is not supported");
  const Slot slot{static_cast<uint32_t>(*found) * warpSize * 4, Slot::Special};
  if (type.bits == 32)
    return slot;
  const Slot wide = temporary(type.bits);
  emitConversion(*this, wide, type.asUnsigned(), slot, typeOf<uint32_t>());
  return wide;
}

Slot Decoder::source(const Operand &operand, Type type) {
  switch (operand.kind) {
  case Operand::Register:
    if (registerBits(operand) != type.bits || isPredicate(operand))
      fail("the operand " + operand.name + " has not the width of " + toString(type));
    return registers[operand.index];
  case Operand::Special:
    return special(operand, type);
  case Operand::Integer:
    // Only the short floats, which have no notation of their own, are written as their bits.
    if (type.isFloat() && type.bits > 16 && !type.isPacked)
      fail("an operand of " + toString(type) + " must be a float");
    return constant(bitsAs(type, operand), type);
  case Operand::Real:
    if (type.kind != Kind::Bits && !type.isFloat())
      fail("an operand of " + toString(type) + " must be a whole number");
    return constant(bitsAs(type, operand), type);
  case Operand::Symbol:
  case Operand::Local: {
    if (type.bits != 64)
      fail("the address of " + operand.name + " has 64 bits");
    AddressSlot base = address(operand);
    if (!base.isLocal && base.base.base == Slot::Constants)
      return base.base;
    // Local memory begins elsewhere in every activation.
    const Slot slot = temporary(64);
    emitLocalAddress(*this, slot, base.base);
    return slot;
  }
  default:
    fail("this kind of operand is not supported here");
  }
}

Slot Decoder::destination(const Operand &operand, Type type) {
  if (operand.kind == Operand::Sink)
    return type.kind == Kind::Predicate ? predicateTemporary() : temporary(type.bits);
  if (operand.kind != Operand::Register)
    fail("the result must be a register");
  return source(operand, type);
}

Slot Decoder::predicateSource(const Operand &operand) {
  Slot slot;
  if (isPredicate(operand))
    slot = registers[operand.index];
  else if (operand.kind == Operand::Integer)
    slot = constant32(operand.bits ? allLanes : 0);
  else
    fail("expected a predicate, found " + operand.name);
  if (!operand.isNegated)
    return slot;
  const Slot negated = predicateTemporary();
  emit(
      [](Warp &warp, const Instruction &instruction, uint32_t mask) {
        warp.setPredicate(instruction.operands[0], ~warp.predicate(instruction.operands[1]), mask);
      },
      {negated, slot});
  return negated;
}

Slot Decoder::predicateDestination(const Operand &operand) {
  if (operand.kind == Operand::Sink)
    return predicateTemporary();
  if (!isPredicate(operand))
    fail("expected a predicate, found " + operand.name);
  return registers[operand.index];
}

Slot Decoder::wideSource(const Operand &operand, Type type) {
  const unsigned bits = registerBits(operand);
  if (bits <= type.bits)
    return source(operand, type);
  const Slot cut = temporary(type.bits);
  emitConversion(*this, cut, type.asUnsigned(), registers[operand.index],
                 {Kind::Unsigned, static_cast<uint8_t>(bits), false});
  return cut;
}

Decoder::WideDestination Decoder::wideDestination(const Operand &operand, Type type) {
  const unsigned bits = registerBits(operand);
  if (bits <= type.bits)
    return {destination(operand, type), {}, type, 0};
  return {temporary(type.bits), registers[operand.index], type, bits};
}

void Decoder::finishWide(const WideDestination &destination) {
  if (destination.bits == 0)
    return;
  Kind kind = destination.type.kind == Kind::Signed ? Kind::Signed : Kind::Unsigned;
  emitConversion(*this, destination.whole, {kind, static_cast<uint8_t>(destination.bits), false},
                 destination.value, {kind, destination.type.bits, false});
}

Decoder::AddressSlot Decoder::address(const Operand &operand) {
  AddressSlot slot;
  slot.offset = operand.kind == Operand::Address ? operand.offset : 0;
  if (operand.kind == Operand::Address && operand.parts.empty()) {
    slot.base = constant(0, typeOf<uint64_t>());
    return slot;
  }
  const Operand &base = operand.kind == Operand::Address ? operand.parts[0] : operand;
  uint64_t value = operand.kind == Operand::Address ? 0 : static_cast<uint64_t>(operand.offset);
  if (base.kind == Operand::Register) {
    const unsigned bits = registerBits(base);
    slot.base = source(base, {Kind::Unsigned, static_cast<uint8_t>(bits == 32 ? 32 : 64), false});
    if (bits == 32) {
      // Addresses of shared memory may have 32 bits.
      const Slot wide = temporary(64);
      emitConversion(*this, wide, typeOf<uint64_t>(), slot.base, typeOf<uint32_t>());
      slot.base = wide;
    }
    return slot;
  }
  if (base.kind == Operand::Local) {
    const Variable &variable = function.variables[base.index];
    slot.space = variable.space;
    bool isKernelParameter =
        function.isEntry &&
        std::ranges::find(function.parameters, base.index) != function.parameters.end();
    if (slot.space == Space::Shared) {
      value += symbols.addresses.find(function.name + "/" + variable.name)->second.value;
    } else {
      value += places[base.index].offset;
      slot.isLocal = !isKernelParameter;
    }
  } else if (auto found = symbols.addresses.find(base.name);
             base.kind == Operand::Symbol && found != symbols.addresses.end()) {
    slot.space = found->second.space;
    value += found->second.value;
  } else {
    fail("there is no variable " + base.name);
  }
  slot.base = constant(value, typeOf<uint64_t>());
  return slot;
}

} // namespace sheaf::standin::ptx
