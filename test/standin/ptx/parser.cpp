// Parses what a PTX module declares: its header, variables and functions.
#include "test/standin/ptx/parser.h"

#include <cstring>

#include "test/standin/ptx/number.h"

namespace sheaf::standin::ptx {

Syntax parse(std::string_view text) { return Parser({text}).parseModule(); }

Syntax Parser::parseModule() {
  while (lexer.peek().kind != Token::End)
    parseDirective();
  if (syntax.header.version == 0 || syntax.header.target == 0)
    lexer.fail("a module begins with .version and .target");
  return std::move(syntax);
}

static std::optional<Space> parseSpace(std::string_view name) {
  static const std::map<std::string_view, Space> spaces = {{"global", Space::Global},
                                                           {"const", Space::Const},
                                                           {"shared", Space::Shared},
                                                           {"local", Space::Local},
                                                           {"param", Space::Param}};
  auto found = spaces.find(name);
  return found == spaces.end() ? std::nullopt : std::optional(found->second);
}

void Parser::parseDirective() {
  bool isExternal = false;
  while (true) {
    Token token = lexer.next();
    if (token.kind != Token::Dot)
      throw TextError(token.line,
                      "expected a directive, found \"" + std::string(token.text) + "\"");
    if (token.text == "visible" || token.text == "weak" || token.text == "common")
      continue;
    if (token.text == "extern") {
      isExternal = true;
      continue;
    }
    if (token.text == "version") {
      // "8.7" is one number, 87.
      std::string digits(lexer.next().text);
      std::erase(digits, '.');
      syntax.header.version = static_cast<unsigned>(parseInteger(digits).value_or(0));
    } else if (token.text == "target") {
      std::string_view name = lexer.expectWord();
      if (name.starts_with("sm_"))
        syntax.header.target = static_cast<unsigned>(
            parseInteger(name.substr(3, name.find_first_not_of("0123456789", 3) - 3)).value_or(0));
      skipLine(token.line);
    } else if (token.text == "address_size") {
      if (expectInteger() != 64)
        throw TextError(token.line, "only addresses of 64 bits are supported");
    } else if (token.text == "file" || token.text == "loc") {
      skipLine(token.line);
    } else if (token.text == "section") {
      skipSection();
    } else if (token.text == "pragma") {
      lexer.next();
      lexer.expect(';');
    } else if (token.text == "entry" || token.text == "func") {
      parseFunction(token.text == "entry", isExternal);
    } else if (auto space = parseSpace(token.text)) {
      Variable variable = parseVariable(*space);
      variable.isExternal = isExternal;
      syntax.variables.push_back(std::move(variable));
      lexer.expect(';');
    } else {
      throw TextError(token.line,
                      "the directive ." + std::string(token.text) + " is not supported");
    }
    return;
  }
}

void Parser::skipLine(unsigned line) {
  while (lexer.peek().kind != Token::End && lexer.peek().line == line)
    lexer.next();
}

/// Debug information: `.section name { ... }`.
void Parser::skipSection() {
  while (!lexer.accept('{'))
    lexer.next();
  while (!lexer.accept('}')) {
    if (lexer.peek().kind == Token::End)
      lexer.fail("expected '}'");
    lexer.next();
  }
}

void Parser::parseFunction(bool isEntry, bool isExternal) {
  auto parsed = std::make_unique<Function>();
  function = parsed.get();
  function->isEntry = isEntry;
  scopes.assign(1, {});
  if (lexer.peek().is('('))
    parseParameters(function->results);
  function->line = lexer.peek().line;
  function->name = lexer.expectWord();
  if (lexer.peek().is('('))
    parseParameters(function->parameters);
  parseLimits(*function);
  if (!lexer.accept(';')) {
    function->isDefined = true;
    function->unparsed = lexer.takeBlock();
  }
  // A prototype and its definition are one function.
  for (std::unique_ptr<Function> &known : syntax.functions) {
    if (known->name != function->name)
      continue;
    if (known->isDefined && function->isDefined)
      throw TextError(function->line, function->name + " is defined twice");
    if (function->isDefined)
      known = std::move(parsed);
    return;
  }
  syntax.functions.push_back(std::move(parsed));
}

/// Directives between the head of a function and its body.
void Parser::parseLimits(Function &function) {
  while (lexer.peek().kind == Token::Dot) {
    std::string_view name = lexer.next().text;
    if (name == "maxntid" || name == "reqntid") {
      uint64_t threads = expectInteger();
      while (lexer.accept(','))
        threads *= expectInteger();
      function.maxThreads = static_cast<uint32_t>(threads);
    } else if (name == "minnctapersm" || name == "maxnreg" || name == "maxnctapersm") {
      expectInteger();
    } else if (name == "pragma") {
      lexer.next();
      lexer.expect(';');
    } else if (name != "noreturn") {
      lexer.fail("the directive ." + std::string(name) + " of a function is not supported");
    }
  }
}

void Parser::parseParameters(std::vector<uint32_t> &indices) {
  lexer.expect('(');
  while (!lexer.accept(')')) {
    Token token = lexer.next();
    if (!token.is(Token::Dot, "param"))
      throw TextError(token.line, "only .param parameters are supported");
    indices.push_back(declareVariable(parseVariable(Space::Param)));
    lexer.accept(',');
  }
}

/// Behind its space: [.align n] .type [.ptr [.space] [.align n]] name [ '[' n ']' ]* [= initial].
Variable Parser::parseVariable(Space space) {
  Variable variable;
  variable.space = space;
  std::optional<Type> type;
  while (lexer.peek().kind == Token::Dot) {
    Token token = lexer.next();
    // Of a parameter that is a pointer, only the hint about what it points to.
    bool isHint = token.text == "ptr" || (type && parseSpace(token.text));
    if (token.text == "align") {
      uint64_t alignment = expectInteger();
      if (!type)
        variable.alignment = alignment;
    } else if (!isHint) {
      type = parseType(token.text);
      if (!type)
        throw TextError(token.line, "the type ." + std::string(token.text) + " is not supported");
    }
  }
  if (!type)
    lexer.fail("expected the type of a variable");
  variable.element = *type;
  variable.alignment = std::max<uint64_t>(variable.alignment, type->bytes());
  variable.name = lexer.expectWord();
  uint64_t elements = 1;
  bool isArray = false;
  while (lexer.accept('[')) {
    isArray = true;
    elements *= lexer.peek().is(']') ? 0 : expectInteger();
    lexer.expect(']');
  }
  variable.bytes = elements * type->bytes();
  if (lexer.accept('='))
    parseInitial(variable, isArray);
  return variable;
}

void Parser::parseInitial(Variable &variable, bool isArray) {
  if (!isArray) {
    parseInitialElement(variable);
    return;
  }
  lexer.expect('{');
  while (!lexer.accept('}')) {
    if (lexer.peek().is('{'))
      parseInitial(variable, true);
    else
      parseInitialElement(variable);
    lexer.accept(',');
  }
  variable.bytes = std::max<uint64_t>(variable.bytes, variable.initial.size());
}

void Parser::parseInitialElement(Variable &variable) {
  const size_t at = variable.initial.size();
  variable.initial.resize(at + variable.element.bytes());
  if (lexer.peek().kind == Token::Word) {
    std::string name(lexer.expectWord());
    // generic(symbol) is the generic address, which addresses of global memory are anyway.
    if (name == "generic" && lexer.accept('(')) {
      name = lexer.expectWord();
      lexer.expect(')');
    }
    int64_t addend = lexer.accept('+') ? static_cast<int64_t>(expectInteger()) : 0;
    if (variable.element.bits != 64)
      lexer.fail("only elements of 64 bits hold addresses");
    variable.relocations.push_back({at, std::move(name), addend});
    return;
  }
  bool isNegative = lexer.accept('-');
  const uint64_t bits = bitsAs(variable.element, parseNumber(isNegative));
  std::memcpy(variable.initial.data() + at, &bits, variable.element.bytes());
}

} // namespace sheaf::standin::ptx
