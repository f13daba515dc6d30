// Splits PTX text into tokens.
#ifndef SHEAF_TEST_STANDIN_PTX_LEXER_H
#define SHEAF_TEST_STANDIN_PTX_LEXER_H

#include <stdexcept>
#include <string>
#include <string_view>

#include "test/standin/ptx/syntax.h"

namespace sheaf::standin::ptx {

/// What is wrong with a text, and where.
struct TextError : std::runtime_error {
  TextError(unsigned line, const std::string &what)
      : std::runtime_error("line " + std::to_string(line) + ": " + what) {}
};

struct Token {
  enum Kind {
    Word,   ///< an identifier, which may begin with % or $
    Dot,    ///< a word behind a dot, such as .global or .shared::cta; `text` lacks the dot
    Number, ///< as written
    String, ///< without the quotes
    Punctuation,
    End
  };
  Kind kind = End;
  std::string_view text;
  unsigned line = 0;

  bool is(Kind wanted, std::string_view wantedText) const {
    return kind == wanted && text == wantedText;
  }
  bool is(char punctuation) const { return kind == Punctuation && text[0] == punctuation; }
};

/// A cursor over `text`, which must outlive the tokens.
class Lexer {
public:
  explicit Lexer(Passage passage) : rest(passage.text), line(passage.line) { advance(); }

  const Token &peek() const { return current; }
  /// The current token; moves to the next. Throws TextError at a character that begins no token.
  Token next();

  bool accept(char punctuation);
  void expect(char punctuation);
  std::string_view expectWord();
  /// At a '{': moves behind the '}' that closes it, and returns what lies between, with the '}'.
  Passage takeBlock();

  [[noreturn]] void fail(const std::string &what) const;

private:
  void advance();
  void skipBlanks();

  std::string_view rest;
  unsigned line;
  Token current;
};

} // namespace sheaf::standin::ptx

#endif
