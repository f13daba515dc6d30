// Measures how deep YAML nests, and how large regular expressions get.
#include "passes/sharding/rule_limits.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

using namespace llvm;

namespace sheaf::sharding {
namespace {

constexpr int maxDepth = 16;
/// Of a pattern: characters, and what it would have with its repetitions written out.
constexpr size_t maxPatternLength = 1000, maxPatternSize = 5000;

/// The first value that is nested deeper, or null. LLVM's parser makes nodes when they are asked for, so that no more
/// of it recurses than this does.
const yaml::Node *findTooDeep(yaml::Node *node, int depth) {
  if (!node || depth > maxDepth)
    return node;
  if (auto *list = dyn_cast<yaml::SequenceNode>(node)) {
    for (yaml::Node &entry : *list)
      if (const yaml::Node *found = findTooDeep(&entry, depth + 1))
        return found;
  } else if (auto *map = dyn_cast<yaml::MappingNode>(node)) {
    for (yaml::KeyValueNode &entry : *map) {
      if (const yaml::Node *found = findTooDeep(entry.getKey(), depth + 1))
        return found;
      if (const yaml::Node *found = findTooDeep(entry.getValue(), depth + 1))
        return found;
    }
  }
  return nullptr;
}

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

Error checkRuleText(StringRef text, StringRef origin) {
  if (text.size() > kMaxRuleBytes)
    return createStringError(origin + ": has " + Twine(text.size()) + " bytes, rules at most " +
                             Twine(kMaxRuleBytes) + "; say more of them by one pattern");
  SourceMgr sources;
  sources.setDiagHandler([](const SMDiagnostic &, void *) {}); // The parser tells.
  yaml::Stream stream(text, sources, /*ShowColors=*/false);
  auto refuse = [&](const yaml::Node *node, const Twine &what) {
    const char *at = node->getSourceRange().Start.getPointer();
    size_t line = 1 + StringRef(text.begin(), at - text.begin()).count('\n');
    return createStringError(origin + ":" + Twine(line) + ": " + what);
  };
  auto document = stream.begin();
  if (document == stream.end())
    return Error::success();
  if (const yaml::Node *node = findTooDeep(document->getRoot(), 0))
    return refuse(node, "values are nested too deep; rules are a list of {name: REGEX, axes: "
                        "[[data], _]}");
  if (stream.failed())
    return Error::success();
  if (++document != stream.end() && !stream.failed())
    if (yaml::Node *root = document->getRoot())
      return refuse(root, "a second YAML document begins; put all rules into one list");
  return Error::success();
}

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
