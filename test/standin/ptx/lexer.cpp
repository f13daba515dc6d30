// Splits PTX text into tokens.
#include "test/standin/ptx/lexer.h"

#include <algorithm>
#include <cctype>

namespace sheaf::standin::ptx {

static bool isWordStart(char c) { return std::isalpha(c) || c == '_' || c == '$' || c == '%'; }
static bool isWordPart(char c) { return std::isalnum(c) || c == '_' || c == '$'; }

Token Lexer::next() {
  Token token = current;
  advance();
  return token;
}

bool Lexer::accept(char punctuation) {
  if (!current.is(punctuation))
    return false;
  advance();
  return true;
}

void Lexer::expect(char punctuation) {
  if (!accept(punctuation))
    fail(std::string("expected '") + punctuation + "'");
}

std::string_view Lexer::expectWord() {
  if (current.kind != Token::Word)
    fail("expected a name");
  return next().text;
}

Passage Lexer::takeBlock() {
  if (!current.is('{'))
    fail("expected '{'");
  Passage block{rest, line};
  size_t depth = 1, at = 0;
  while (at < rest.size()) {
    const char c = rest[at++];
    if (c == '\n')
      ++line;
    else if (c == '{')
      ++depth;
    else if (c == '}' && --depth == 0)
      break;
    else if (c == '/' && rest.substr(at).starts_with('/'))
      at = std::min(rest.find('\n', at), rest.size());
    else if (c == '"')
      at = std::min(rest.find('"', at), rest.size() - 1) + 1;
  }
  if (depth)
    throw TextError(block.line, "a '{' is never closed");
  block.text = rest.substr(0, at);
  rest.remove_prefix(at);
  advance();
  return block;
}

void Lexer::fail(const std::string &what) const {
  std::string found =
      current.kind == Token::End ? "the end" : "\"" + std::string(current.text) + "\"";
  throw TextError(current.line, what + ", found " + found);
}

void Lexer::skipBlanks() {
  while (!rest.empty()) {
    size_t length = 1;
    if (rest.starts_with("//"))
      length = std::min(rest.find('\n'), rest.size());
    else if (rest.starts_with("/*"))
      length = std::min(rest.find("*/", 2), rest.size() - 2) + 2;
    else if (!std::isspace(static_cast<unsigned char>(rest[0])) && rest[0] != '\0')
      return;
    line += static_cast<unsigned>(std::count(rest.begin(), rest.begin() + length, '\n'));
    rest.remove_prefix(length);
  }
}

void Lexer::advance() {
  skipBlanks();
  if (rest.empty()) {
    current = {Token::End, {}, line};
    return;
  }
  auto span = [&](auto isPart, size_t from) {
    while (from < rest.size() && isPart(rest[from]))
      ++from;
    return from;
  };
  size_t length = 1, skipped = 0;
  Token::Kind kind = Token::Punctuation;
  if (isWordStart(rest[0])) {
    kind = Token::Word;
    length = span(isWordPart, 1);
  } else if (rest[0] == '.' && rest.size() > 1 && isWordPart(rest[1])) {
    kind = Token::Dot;
    skipped = 1;
    length = span(isWordPart, 1);
    while (rest.substr(length).starts_with("::"))
      length = span(isWordPart, length + 2);
  } else if (std::isdigit(static_cast<unsigned char>(rest[0]))) {
    kind = Token::Number;
    length = span([](char c) { return isWordPart(c) || c == '.'; }, 1);
  } else if (rest[0] == '"') {
    size_t end = rest.find('"', 1);
    if (end == std::string_view::npos)
      throw TextError(line, "a string has no end");
    current = {Token::String, rest.substr(1, end - 1), line};
    rest.remove_prefix(end + 1);
    return;
  } else if (std::string_view("{}[]()<>,;:=+-@!|").find(rest[0]) == std::string_view::npos) {
    throw TextError(line, std::string("'") + rest[0] + "' begins no token");
  }
  current = {kind, rest.substr(skipped, length - skipped), line};
  rest.remove_prefix(length);
}

} // namespace sheaf::standin::ptx
