// Measures how large regular expressions get.
#include "passes/sharding/rule_limits.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

namespace sheaf::sharding {
namespace {

/// Of a pattern: characters, and what it would have with its repetitions written out.
constexpr size_t maxPatternLength = 1000, maxPatternSize = 5000;

/// How many atoms a regular expression has with its repetitions written out; no more than a little over
/// `maxPatternSize` is counted.
class PatternSize {
public:
  explicit PatternSize(StringRef rest) : rest(rest) {}

  size_t measure() {
    SmallVector<size_t> groups = {0}; // The sizes of those that are open, without `atom`.
    size_t atom = 0;                  // What a repetition would repeat.
    auto endAtom = [&](size_t next) {
      groups.back() = std::min(groups.back() + atom, 2 * maxPatternSize);
      atom = next;
    };
    while (!rest.empty()) {
      if (rest.consume_front("(")) {
        endAtom(0);
        groups.push_back(0);
      } else if (rest.consume_front(")")) {
        endAtom(0);
        atom = std::max<size_t>(groups.pop_back_val(), 1);
        if (groups.empty()) // A parser finds it wrong.
          groups.push_back(0);
      } else if (rest.front() == '{') {
        atom = std::min(atom * takeBound(), 2 * maxPatternSize);
      } else {
        takeAtom();
        endAtom(1);
      }
    }
    for (size_t size : groups)
      atom += size;
    return atom;
  }

private:
  /// The larger number of "{2,5}".
  size_t takeBound() {
    StringRef bound = rest.take_until([](char c) { return c == '}'; });
    rest = rest.drop_front(std::min(rest.size(), bound.size() + 1));
    size_t largest = 1;
    for (StringRef number : split(bound.drop_front(), ','))
      if (size_t value; !number.getAsInteger(10, value))
        largest = std::max(largest, std::min(value, maxPatternSize));
    return largest;
  }

  void takeAtom() {
    if (rest.consume_front("[")) {
      rest.consume_front("^");
      rest.consume_front("]"); // Here it is a character of the set.
      while (!rest.empty() && !rest.consume_front("]")) {
        char kind = rest.size() > 1 && rest.front() == '[' ? rest[1] : ' ';
        bool isNamed = kind == ':' || kind == '.' || kind == '=';
        size_t end = isNamed ? rest.find(std::string{kind, ']'}, 2) : StringRef::npos;
        rest = rest.drop_front(end == StringRef::npos ? 1 : end + 2);
      }
      return;
    }
    rest = rest.drop_front(std::min<size_t>(rest.size(), rest.front() == '\\' ? 2 : 1));
  }

  StringRef rest;
};

bool hasBackReference(StringRef pattern) {
  for (; !pattern.empty(); pattern = pattern.drop_front())
    if (pattern.consume_front("\\") && !pattern.empty() && isDigit(pattern.front()))
      return true;
    else if (pattern.empty())
      break;
  return false;
}

} // namespace

std::string checkPattern(StringRef pattern) {
  std::string error;
  if (pattern.size() > maxPatternLength)
    return "a name has " + std::to_string(pattern.size()) + " characters, at most " +
           std::to_string(maxPatternLength) + " are taken";
  if (PatternSize(pattern).measure() > maxPatternSize)
    return "\"" + pattern.str() + "\" repeats too much: written out it has more than " +
           std::to_string(maxPatternSize) + " characters";
  if (hasBackReference(pattern))
    return "\"" + pattern.str() + "\" has a back reference, which rules don't take";
  if (!Regex(pattern).isValid(error))
    return "\"" + pattern.str() + "\" is no regular expression: " + error;
  return {};
}

} // namespace sheaf::sharding
