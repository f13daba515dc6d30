// Rules that annotate tensors by name: their text form and the built-in sets.
#ifndef SHEAF_PASSES_SHARDING_RULES_H
#define SHEAF_PASSES_SHARDING_RULES_H

#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace sheaf::sharding {

/// What a rule says of one dim.
struct DimText {
  /// Axes, major first; `?` as the last one leaves the dim open.
  std::vector<std::string> entries;
  /// `axis` alone, or `_` or `?` for a dim of which the rule says nothing.
  std::string entry;
  bool isList = false;
};

/// Tensors by name, and where they live: by dims, or, of weights and products with weights, by what dims are for.
struct Rule {
  /// A regular expression that matches somewhere in the name, or a glob of all of it.
  std::string pattern;
  bool isGlob = false;
  std::optional<std::vector<DimText>> axes;
  /// Axes that cut what a product adds to its result; and what it sums over, or a lookup selects.
  std::vector<std::string> columns, rows;
  /// Where it comes from: as in RuleSet, and its line there, from 1.
  std::string origin;
  bool isBuiltIn = false;
  unsigned line = 0;
};

/// Rules in order: the first one that matches counts.
struct RuleSet {
  /// The file, or the name of a built-in set.
  std::string origin;
  /// A built-in set is written for models and meshes that lack some of its names and axes.
  bool isBuiltIn = false;
  std::vector<Rule> rules;

  /// Reads YAML: a list of `{name: regex, axes: [[data], tensor, _]}`; `glob` may stand for `name`, and `columns` or
  /// `rows` with one list of axes for `axes`. Lines count from `firstLine`. Errors: with file and line; what
  /// `checkYaml` and `checkPattern` refuse.
  static llvm::Expected<RuleSet> parse(llvm::StringRef text, llvm::StringRef origin,
                                       unsigned firstLine = 1);
  /// The rules that `name` is the text of, the built-in set of that name, else the file at that path.
  static llvm::Expected<RuleSet> named(llvm::StringRef name);
};

/// Whether `text` is rules itself: `[{glob: "*.wte.weight", axes: [tensor, _]}]`, and before it `FILE:LINE: ` if it was
/// taken from a file.
bool isRuleText(llvm::StringRef text);

/// The text of a built-in rule set; none when there is no such set.
std::optional<llvm::StringRef> builtInRules(llvm::StringRef name);
/// "bert, gpt2, ..."
std::string builtInRuleNames();

} // namespace sheaf::sharding

#endif
