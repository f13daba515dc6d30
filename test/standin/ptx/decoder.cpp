// Lays out a function's frame and walks over its statements.
#include "test/standin/ptx/decoder.h"

#include <algorithm>

#include "test/standin/ptx/grid.h"
#include "test/standin/ptx/number.h"
#include "test/standin/ptx/ops/ops.h"

namespace sheaf::standin::ptx {

Decoder::Decoder(const Function &function, const Symbols &symbols, Code &code)
    : function(function), symbols(symbols), code(code) {
  layOut();
}

void Decoder::fail(const std::string &what) const {
  std::string text(statement->mnemonic);
  for (std::string_view modifier : statement->modifiers)
    text += "." + std::string(modifier);
  throw TextError(statement->line, text + ": " + what);
}

void Decoder::failType(Type type) const {
  fail("the type " + toString(type) + " is not supported");
}

static uint32_t alignUp(uint32_t value, uint64_t alignment) {
  return static_cast<uint32_t>((value + alignment - 1) / alignment * alignment);
}

void Decoder::layOut() {
  for (Type type : function.registers)
    registers.push_back(type.kind == Kind::Predicate ? predicateTemporary() : temporary(type.bits));
  places.resize(function.variables.size());
  auto place = [&](uint32_t index, uint32_t &size) {
    const Variable &variable = function.variables[index];
    size = alignUp(size, variable.alignment);
    places[index] = {size, static_cast<uint32_t>(variable.bytes)};
    size += places[index].bytes;
    return places[index];
  };
  std::vector<bool> isPlaced(function.variables.size());
  for (uint32_t index : function.parameters) {
    code.parameters.push_back(
        place(index, function.isEntry ? code.parameterBytes : code.localBytes));
    isPlaced[index] = true;
  }
  for (uint32_t index : function.results) {
    code.results.push_back(place(index, code.localBytes));
    isPlaced[index] = true;
  }
  for (uint32_t index = 0; index < places.size(); ++index)
    if (!isPlaced[index] && function.variables[index].space != Space::Shared)
      place(index, code.localBytes);
  code.localBytes = alignUp(code.localBytes, 16);
}

void Decoder::run() {
  std::vector<uint32_t> starts;
  for (const Statement &next : function.body) {
    starts.push_back(static_cast<uint32_t>(code.instructions.size()));
    decode(next);
  }
  starts.push_back(static_cast<uint32_t>(code.instructions.size()));
  Instruction last;
  last.flow = Flow::Return;
  last.line = function.body.empty() ? function.line : function.body.back().line;
  code.instructions.push_back(last);
  for (Instruction &instruction : code.instructions) {
    if (instruction.flow == Flow::Branch) {
      instruction.target = starts[instruction.target];
    } else if (instruction.flow == Flow::BranchTable) {
      std::vector<uint32_t> targets = *instruction.table;
      for (uint32_t &target : targets)
        target = starts[target];
      instruction.table = std::make_shared<const std::vector<uint32_t>>(std::move(targets));
    }
  }
}

void Decoder::decode(const Statement &next) {
  statement = &next;
  modifiers = next.modifiers;
  const Mnemonic *mnemonic = findMnemonic(next.mnemonic);
  if (!mnemonic)
    fail("the instruction is not supported");
  mnemonic->decode(*this);
  if (!modifiers.empty())
    fail("the modifier ." + std::string(modifiers[0]) + " is not supported");
}

const Operand &Decoder::operand(size_t index) {
  if (index >= statement->operands.size())
    fail("operand " + std::to_string(index + 1) + " is missing");
  return statement->operands[index];
}

bool Decoder::has(std::string_view modifier) const {
  return std::ranges::find(modifiers, modifier) != modifiers.end();
}

bool Decoder::take(std::string_view modifier) {
  auto found = std::ranges::find(modifiers, modifier);
  if (found == modifiers.end())
    return false;
  modifiers.erase(found);
  return true;
}

size_t Decoder::takeOneOf(std::initializer_list<std::string_view> wanted, size_t otherwise) {
  size_t index = 0;
  for (std::string_view modifier : wanted) {
    if (take(modifier))
      return index;
    ++index;
  }
  return otherwise;
}

size_t Decoder::takeOneOf(std::initializer_list<std::string_view> wanted) {
  const size_t index = takeOneOf(wanted, wanted.size());
  if (index == wanted.size())
    fail("a modifier such as ." + std::string(*wanted.begin()) + " is missing or not supported");
  return index;
}

std::optional<Type> Decoder::takeTypeIfAny() {
  for (auto modifier = modifiers.begin(); modifier != modifiers.end(); ++modifier) {
    if (std::optional<Type> type = parseType(*modifier)) {
      modifiers.erase(modifier);
      return type;
    }
  }
  return std::nullopt;
}

Type Decoder::takeType() {
  std::optional<Type> type = takeTypeIfAny();
  if (!type)
    fail("a type is missing or not supported");
  return *type;
}

Instruction &Decoder::emit(Handler handler, std::initializer_list<Slot> operands) {
  Instruction instruction;
  instruction.run = handler;
  instruction.line = statement->line;
  instruction.isGuarded = statement->isGuarded;
  instruction.isGuardNegated = statement->isGuardNegated;
  if (statement->isGuarded)
    instruction.guard = registers[statement->guard];
  std::ranges::copy(operands, instruction.operands.begin());
  code.instructions.push_back(std::move(instruction));
  return code.instructions.back();
}

void Decoder::emitSame(Handler handler, Type type, size_t numSources) {
  if (!handler)
    failType(type);
  if (numOperands() != numSources + 1)
    fail("expected " + std::to_string(numSources + 1) + " operands, found " +
         std::to_string(numOperands()));
  std::vector<Slot> sources;
  for (size_t i = 0; i < numSources; ++i)
    sources.push_back(source(i + 1, type));
  Instruction &instruction = emit(handler, {destination(0, type)});
  std::ranges::copy(sources, instruction.operands.begin() + 1);
}

uint32_t Decoder::labelOf(std::string_view name) {
  auto found = function.labels.find(name);
  if (found == function.labels.end())
    fail("there is no label " + std::string(name));
  return found->second;
}

uint32_t Decoder::labelOf(const Operand &operand) { return labelOf(operand.name); }

const std::vector<std::string> &Decoder::branchTargets(const Operand &operand) {
  auto found = function.branchTargets.find(operand.name);
  if (found == function.branchTargets.end())
    fail("there are no .branchtargets " + operand.name);
  return found->second;
}

Code &Decoder::functionOf(const Operand &operand) {
  auto found = symbols.functions.find(operand.name);
  if (operand.kind != Operand::Symbol || found == symbols.functions.end())
    fail("there is no function " + operand.name + " to call");
  return *found->second;
}

Place Decoder::localPlace(const Operand &operand) {
  if (operand.kind != Operand::Local)
    fail("arguments of calls are .param variables");
  return places[operand.index];
}

} // namespace sheaf::standin::ptx
