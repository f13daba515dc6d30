// The recursive-descent parser of PTX; parse() of syntax.h is its face.
#ifndef SHEAF_TEST_STANDIN_PTX_PARSER_H
#define SHEAF_TEST_STANDIN_PTX_PARSER_H

#include <map>
#include <string>
#include <vector>

#include "test/standin/ptx/lexer.h"
#include "test/standin/ptx/syntax.h"

namespace sheaf::standin::ptx {

class Parser {
public:
  explicit Parser(Passage passage) : lexer(passage) {}
  Syntax parseModule();
  void parseBodyOf(Function &declared);

private:
  // Module level (parser.cpp).
  void parseDirective();
  void parseFunction(bool isEntry, bool isExternal);
  void parseParameters(std::vector<uint32_t> &indices);
  void parseLimits(Function &function);
  Variable parseVariable(Space space);
  void parseInitial(Variable &variable, bool isArray);
  void parseInitialElement(Variable &variable);
  void skipLine(unsigned line);
  void skipSection();

  // Function bodies (parse_body.cpp).
  void parseBlock();
  void parseDeclaration(unsigned line);
  void parseRegisters();
  void parseLabel(std::string_view name);
  void parseStatement();
  Operand parseOperand();
  Operand parseList(Operand::Kind kind, char end);
  Operand parseName(std::string_view name);
  Operand parseNumber(bool isNegative);
  Type expectType();
  uint64_t expectInteger();

  /// What a name of a function's body means in a block.
  struct Meaning {
    bool isRegister;
    uint32_t index;
  };
  using Scope = std::map<std::string, Meaning, std::less<>>;
  const Meaning *find(std::string_view name) const;
  void declare(std::string_view name, Meaning meaning);
  uint32_t declareVariable(Variable variable);

  Lexer lexer;
  Syntax syntax;
  Function *function = nullptr;
  std::vector<Scope> scopes;
};

} // namespace sheaf::standin::ptx

#endif
