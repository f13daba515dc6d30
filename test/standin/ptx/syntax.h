// What a PTX text says: its variables, functions and instructions, with registers resolved.
#ifndef SHEAF_TEST_STANDIN_PTX_SYNTAX_H
#define SHEAF_TEST_STANDIN_PTX_SYNTAX_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "test/standin/ptx/type.h"

namespace sheaf::standin::ptx {

enum class Space : uint8_t { Generic, Global, Const, Shared, Local, Param };

/// `sm_90` is 90; the PTX version 8.5 is 85.
struct Header {
  unsigned version = 0;
  unsigned target = 0;
};

/// A part of an initial value that is the address of a variable: 8 bytes at `offset`.
struct Relocation {
  uint64_t offset;
  std::string symbol;
  int64_t addend;
};

/// Memory that a module or function declares.
struct Variable {
  std::string name;
  Space space = Space::Global;
  Type element;
  uint64_t alignment = 1;
  uint64_t bytes = 0; ///< 0: extern shared memory, as long as the launch says
  bool isExternal = false;
  std::vector<std::byte> initial; ///< empty or at most `bytes`; the rest is zero
  std::vector<Relocation> relocations;
};

struct Operand {
  enum Kind {
    Register,   ///< `index` in Function::registers; `isNegated` for !%p
    Special,    ///< `name` such as %tid.x
    Integer,    ///< `bits`
    Real,       ///< `bits` of a double (`isSingle`: of a float)
    Symbol,     ///< the address of a variable, or a label or function: `name` + `offset`
    Local,      ///< the address of Function::variables[index] + `offset`
    Address,    ///< [base + offset]; the base, if any, is parts[0]
    Vector,     ///< {a, b}: parts
    Parameters, ///< (a, b) of a call: parts
    Pair,       ///< p|q: parts
    Sink        ///< _
  };
  Kind kind = Sink;
  bool isNegated = false;
  bool isSingle = false;
  uint32_t index = 0;
  uint64_t bits = 0;
  int64_t offset = 0;
  std::string name;
  std::vector<Operand> parts;
};

/// One instruction: @guard mnemonic.modifiers operands;
struct Statement {
  unsigned line = 0;
  std::string_view mnemonic;
  std::vector<std::string_view> modifiers;
  std::vector<Operand> operands;
  bool isGuarded = false;
  bool isGuardNegated = false;
  uint32_t guard = 0; ///< a predicate register
};

/// A part of a PTX text that begins in line `line`.
struct Passage {
  std::string_view text;
  unsigned line = 1;
};

/// Until parseBody(): what is declared before its body.
struct Function {
  std::string name;
  bool isEntry = false;
  bool isDefined = false;
  unsigned line = 0;
  std::vector<Type> registers;
  /// Parameters, results, then .local, .shared and .param declarations of the body.
  std::vector<Variable> variables;
  std::vector<uint32_t> parameters; ///< indices of variables
  std::vector<uint32_t> results;
  uint32_t maxThreads = 0; ///< of .maxntid or .reqntid; 0: no limit
  Passage unparsed;        ///< the body behind its '{'; empty once it is parsed
  std::vector<Statement> body;
  std::map<std::string, uint32_t, std::less<>> labels; ///< index of the statement behind it
  std::map<std::string, std::vector<std::string>, std::less<>> branchTargets;
};

struct Syntax {
  Header header;
  std::vector<Variable> variables;
  std::vector<std::unique_ptr<Function>> functions;
};

/// Reads a PTX text, which must outlive the result, but for the bodies of functions. Throws TextError.
Syntax parse(std::string_view text);

/// Reads the body of `function`, if that is not yet done. Throws TextError, and changes nothing then.
void parseBody(Function &function);

} // namespace sheaf::standin::ptx

#endif
