// Turns the statements of one function into instructions. The files of ops/ say how, mnemonic by
// mnemonic.
#ifndef SHEAF_TEST_STANDIN_PTX_DECODER_H
#define SHEAF_TEST_STANDIN_PTX_DECODER_H

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>

#include "test/standin/ptx/instruction.h"
#include "test/standin/ptx/lexer.h"

namespace sheaf::standin::ptx {

/// What the names of a module mean.
struct Symbols {
  struct Address {
    Space space;
    uint64_t value; ///< of global memory the address, of shared memory the offset
  };
  std::map<std::string, Address, std::less<>> addresses;
  std::map<std::string, Code *, std::less<>> functions;
};

class Decoder {
public:
  Decoder(const Function &function, const Symbols &symbols, Code &code);

  /// Decodes the whole function. Throws TextError.
  void run();

  // The statement that is being decoded.
  size_t numOperands() const { return statement->operands.size(); }
  const Operand &operand(size_t index);
  /// Whether the statement has the modifier; each must be taken by someone.
  bool take(std::string_view modifier);
  bool has(std::string_view modifier) const;
  /// The first of `modifiers` that the statement has, or `otherwise`.
  size_t takeOneOf(std::initializer_list<std::string_view> modifiers, size_t otherwise);
  /// As above, where one of them must be there.
  size_t takeOneOf(std::initializer_list<std::string_view> modifiers);
  /// The first modifier that is a type.
  Type takeType();
  std::optional<Type> takeTypeIfAny();
  [[noreturn]] void fail(const std::string &what) const;
  [[noreturn]] void failType(Type type) const;

  // Operands. A register has the width of the type.
  Slot source(const Operand &operand, Type type);
  Slot source(size_t index, Type type) { return source(operand(index), type); }
  Slot destination(const Operand &operand, Type type);
  Slot destination(size_t index, Type type) { return destination(operand(index), type); }
  /// Of a predicate; !p is computed into a temporary.
  Slot predicateSource(const Operand &operand);
  Slot predicateDestination(const Operand &operand);
  /// As source and destination, but the register may be wider; then the value is cut, or extended
  /// (with its sign if it has one) by finishWide().
  Slot wideSource(const Operand &operand, Type type);
  struct WideDestination {
    Slot value;
    Slot whole;
    Type type;
    unsigned bits = 0; ///< of the register; 0 if it has the width of the type
  };
  WideDestination wideDestination(const Operand &operand, Type type);
  void finishWide(const WideDestination &destination);
  /// An address [..], or the operand of a cvta: its 64-bit base, and its constant part.
  struct AddressSlot {
    Slot base;
    int64_t offset = 0;
    Space space = Space::Generic; ///< of the variable it names, if any
    bool isLocal = false;         ///< the base counts from the function's local memory
  };
  AddressSlot address(const Operand &operand);

  Slot constant(uint64_t bits, Type type);
  Slot constant32(uint32_t value) { return constant(value, typeOf<uint32_t>()); }
  Slot temporary(unsigned bits);
  Slot predicateTemporary();
  unsigned registerBits(const Operand &operand);
  bool isPredicate(const Operand &operand);

  /// Appends an instruction under the statement's guard.
  Instruction &emit(Handler handler, std::initializer_list<Slot> operands);
  /// operand 0 = handler(operands 1, ...), all of `type`; fails if the handler is null.
  void emitSame(Handler handler, Type type, size_t numSources);

  /// The index of a label's statement, to be patched once all are decoded.
  uint32_t labelOf(const Operand &operand);
  uint32_t labelOf(std::string_view name);
  const std::vector<std::string> &branchTargets(const Operand &operand);
  Code &functionOf(const Operand &operand);
  /// Where a .param variable of a call lies in the function's local memory.
  Place localPlace(const Operand &operand);
  void noteCallee(const Code &callee) { code.callees.push_back(&callee); }

private:
  void layOut();
  void decode(const Statement &statement);
  Slot special(const Operand &operand, Type type);

  const Function &function;
  const Symbols &symbols;
  Code &code;
  const Statement *statement = nullptr;
  std::vector<std::string_view> modifiers;
  std::vector<Slot> registers;
  std::vector<Place> places; ///< of the function's variables
  std::vector<uint64_t> sharedOffsets;
  std::map<std::pair<uint64_t, unsigned>, uint32_t> constants;
};

/// Decodes the statements of one mnemonic.
struct Mnemonic {
  std::string_view name;
  void (*decode)(Decoder &decoder);
};

} // namespace sheaf::standin::ptx

#endif
