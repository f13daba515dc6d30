// Parses the body of a PTX function: declarations, labels and instructions.
#include "test/standin/ptx/parser.h"

#include <charconv>
#include <utility>

#include "test/standin/ptx/number.h"

namespace sheaf::standin::ptx {

void parseBody(Function &function) {
  if (function.unparsed.text.empty())
    return;
  Function whole = function;
  whole.unparsed = {};
  Parser(function.unparsed).parseBodyOf(whole);
  function = std::move(whole);
}

void Parser::parseBodyOf(Function &declared) {
  function = &declared;
  scopes.assign(1, {});
  for (uint32_t index = 0; index < function->variables.size(); ++index)
    declare(function->variables[index].name, {false, index});
  parseBlock();
}

const Parser::Meaning *Parser::find(std::string_view name) const {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (auto found = scope->find(name); found != scope->end())
      return &found->second;
  return nullptr;
}

void Parser::declare(std::string_view name, Meaning meaning) {
  if (!scopes.back().emplace(name, meaning).second)
    lexer.fail(std::string(name) + " is declared twice");
}

uint32_t Parser::declareVariable(Variable variable) {
  auto index = static_cast<uint32_t>(function->variables.size());
  declare(variable.name, {false, index});
  function->variables.push_back(std::move(variable));
  return index;
}

Type Parser::expectType() {
  if (lexer.peek().kind != Token::Dot)
    lexer.fail("expected a type");
  Token token = lexer.next();
  std::optional<Type> type = parseType(token.text);
  if (!type)
    throw TextError(token.line, "the type ." + std::string(token.text) + " is not supported");
  return *type;
}

uint64_t Parser::expectInteger() {
  std::optional<uint64_t> value;
  if (lexer.peek().kind == Token::Number)
    value = parseInteger(lexer.peek().text);
  if (!value)
    lexer.fail("expected a whole number");
  lexer.next();
  return *value;
}

/// Behind the '{'.
void Parser::parseBlock() {
  scopes.emplace_back();
  while (!lexer.accept('}')) {
    const Token &token = lexer.peek();
    if (token.is('{')) {
      lexer.next();
      parseBlock();
    } else if (token.kind == Token::Dot) {
      parseDeclaration(token.line);
    } else if (token.kind == Token::Word || token.is('@')) {
      parseStatement();
    } else if (!lexer.accept(';')) {
      lexer.fail("expected an instruction");
    }
  }
  scopes.pop_back();
}

void Parser::parseDeclaration(unsigned line) {
  std::string_view name = lexer.next().text;
  if (name == "loc" || name == "file")
    return skipLine(line);
  if (name == "pragma") {
    lexer.next();
  } else if (name == "reg") {
    parseRegisters();
  } else if (name == "local" || name == "shared" || name == "param") {
    Space space = name == "local" ? Space::Local : name == "shared" ? Space::Shared : Space::Param;
    declareVariable(parseVariable(space));
  } else {
    throw TextError(line, "the directive ." + std::string(name) + " is not supported");
  }
  lexer.expect(';');
}

void Parser::parseRegisters() {
  const Type type = expectType();
  auto add = [&](std::string_view name) {
    declare(name, {true, static_cast<uint32_t>(function->registers.size())});
    function->registers.push_back(type);
  };
  do {
    std::string name(lexer.expectWord());
    if (!lexer.accept('<')) {
      add(name);
      continue;
    }
    const uint64_t count = expectInteger();
    if (count > 1'000'000)
      lexer.fail("too many registers");
    for (uint64_t i = 0; i < count; ++i)
      add(name + std::to_string(i));
    lexer.expect('>');
  } while (lexer.accept(','));
}

void Parser::parseLabel(std::string_view name) {
  if (lexer.peek().is(Token::Dot, "branchtargets")) {
    lexer.next();
    std::vector<std::string> &targets = function->branchTargets[std::string(name)];
    do
      targets.emplace_back(lexer.expectWord());
    while (lexer.accept(','));
    lexer.expect(';');
    return;
  }
  if (lexer.peek().kind == Token::Dot && lexer.peek().text == "callprototype")
    lexer.fail("calls through pointers are not supported");
  auto at = static_cast<uint32_t>(function->body.size());
  if (!function->labels.emplace(name, at).second)
    lexer.fail("the label " + std::string(name) + " is defined twice");
}

void Parser::parseStatement() {
  Statement statement;
  if (lexer.accept('@')) {
    statement.isGuarded = true;
    statement.isGuardNegated = lexer.accept('!');
    std::string_view name = lexer.expectWord();
    const Meaning *meaning = find(name);
    if (!meaning || !meaning->isRegister ||
        function->registers[meaning->index].kind != Kind::Predicate)
      lexer.fail(std::string(name) + " is no predicate register");
    statement.guard = meaning->index;
  }
  statement.line = lexer.peek().line;
  statement.mnemonic = lexer.expectWord();
  if (!statement.isGuarded && lexer.accept(':'))
    return parseLabel(statement.mnemonic);
  while (lexer.peek().kind == Token::Dot)
    statement.modifiers.push_back(lexer.next().text);
  while (!lexer.accept(';')) {
    Operand operand = parseOperand();
    if (lexer.accept('|')) {
      Operand pair;
      pair.kind = Operand::Pair;
      pair.parts.push_back(std::move(operand));
      pair.parts.push_back(parseOperand());
      operand = std::move(pair);
    }
    statement.operands.push_back(std::move(operand));
    if (!lexer.peek().is(';'))
      lexer.expect(',');
  }
  function->body.push_back(std::move(statement));
}

Operand Parser::parseOperand() {
  if (lexer.accept('{'))
    return parseList(Operand::Vector, '}');
  if (lexer.accept('('))
    return parseList(Operand::Parameters, ')');
  if (lexer.accept('!')) {
    Operand operand = parseOperand();
    operand.isNegated = true;
    return operand;
  }
  if (lexer.accept('[')) {
    Operand address;
    address.kind = Operand::Address;
    if (lexer.peek().kind == Token::Number) {
      address.offset = static_cast<int64_t>(expectInteger());
    } else {
      address.parts.push_back(parseName(lexer.expectWord()));
      address.offset = std::exchange(address.parts[0].offset, 0);
    }
    lexer.expect(']');
    return address;
  }
  if (lexer.accept('-'))
    return parseNumber(true);
  if (lexer.peek().kind == Token::Number)
    return parseNumber(false);
  return parseName(lexer.expectWord());
}

Operand Parser::parseList(Operand::Kind kind, char end) {
  Operand list;
  list.kind = kind;
  while (!lexer.accept(end)) {
    list.parts.push_back(parseOperand());
    lexer.accept(',');
  }
  return list;
}

Operand Parser::parseName(std::string_view name) {
  Operand operand;
  operand.name = name;
  if (name == "_")
    return operand;
  if (const Meaning *meaning = find(name)) {
    operand.kind = meaning->isRegister ? Operand::Register : Operand::Local;
    operand.index = meaning->index;
  } else if (name.starts_with('%')) {
    operand.kind = Operand::Special;
    if (lexer.peek().kind == Token::Dot)
      operand.name += "." + std::string(lexer.next().text);
  } else {
    operand.kind = Operand::Symbol;
  }
  if (lexer.accept('+')) {
    bool isNegative = lexer.accept('-');
    auto offset = static_cast<int64_t>(expectInteger());
    operand.offset = isNegative ? -offset : offset;
  } else if (lexer.accept('-')) {
    operand.offset = -static_cast<int64_t>(expectInteger());
  }
  return operand;
}

Operand Parser::parseNumber(bool isNegative) {
  if (lexer.peek().kind != Token::Number)
    lexer.fail("expected a number");
  Operand number;
  std::string_view text = lexer.next().text;
  bool isSingle = text.starts_with("0f") || text.starts_with("0F");
  if (isSingle || text.starts_with("0d") || text.starts_with("0D")) {
    number.kind = Operand::Real;
    number.isSingle = isSingle;
    std::from_chars(text.data() + 2, text.data() + text.size(), number.bits, 16);
    if (isNegative)
      number.bits ^= isSingle ? uint64_t(1) << 31 : uint64_t(1) << 63;
  } else if (std::optional<uint64_t> value = parseInteger(text)) {
    number.kind = Operand::Integer;
    number.bits = isNegative ? -*value : *value;
  } else {
    number.kind = Operand::Real;
    double real = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), real);
    if (error != std::errc() || end != text.data() + text.size())
      lexer.fail("\"" + std::string(text) + "\" is no number");
    number.bits = std::bit_cast<uint64_t>(isNegative ? -real : real);
  }
  return number;
}

} // namespace sheaf::standin::ptx
