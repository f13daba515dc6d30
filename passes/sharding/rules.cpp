// Reads rules from YAML.
#include "passes/sharding/rules.h"
#include "passes/sharding/rule_limits.h"

#include "dialects/support/yaml_text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"
#include "llvm/Support/YAMLTraits.h"

using namespace llvm;
using namespace sheaf::sharding;

namespace {

constexpr sheaf::YamlForm ruleForm = {
    "rules", "rules are a list of {name: REGEX, axes: [[data], _]}", "put all rules into one list"};

/// What stands where a dim should be.
struct NoDim {};

/// What a reader of rules needs besides its input.
struct ReadContext {
  /// The end of what `line` counts the lines of.
  const char *counted = nullptr;
  unsigned line = 1;
  std::string error;
  unsigned errorLine = 0;
};

} // namespace

LLVM_YAML_IS_SEQUENCE_VECTOR(DimText)
LLVM_YAML_IS_SEQUENCE_VECTOR(Rule)

template <> struct llvm::yaml::MappingTraits<NoDim> {
  static void mapping(IO &io, NoDim &) {
    io.setError("a dim is a list of axes, one axis, or _ for any");
  }
};

template <> struct llvm::yaml::PolymorphicTraits<DimText> {
  static NodeKind getKind(const DimText &dim) {
    return dim.isList ? NodeKind::Sequence : NodeKind::Scalar;
  }
  static std::string &getAsScalar(DimText &dim) { return dim.entry; }
  static std::vector<std::string> &getAsSequence(DimText &dim) {
    dim.isList = true;
    return dim.entries;
  }
  static NoDim &getAsMap(DimText &) {
    static NoDim none;
    return none;
  }
};

template <> struct llvm::yaml::MappingTraits<Rule> {
  static void mapping(IO &io, Rule &rule) {
    auto &context = *static_cast<ReadContext *>(io.getContext());
    const char *begin =
        static_cast<Input &>(io).getCurrentNode()->getSourceRange().Start.getPointer();
    if (begin > context.counted) { // Rules come in order.
      context.line += StringRef(context.counted, begin - context.counted).count('\n');
      context.counted = begin;
    }
    rule.line = context.line;
    io.mapRequired("name", rule.name);
    io.mapOptional("axes", rule.axes);
    io.mapOptional("columns", rule.columns);
    io.mapOptional("rows", rule.rows);
  }
  static std::string validate(IO &, Rule &rule) {
    if (rule.axes.has_value() + !rule.columns.empty() + !rule.rows.empty() != 1)
      return "a rule has a name and one of axes, columns and rows";
    return checkPattern(rule.name);
  }
};

namespace sheaf::sharding {

static void keepFirst(const SMDiagnostic &diagnostic, void *context) {
  auto &read = *static_cast<ReadContext *>(context);
  if (!read.error.empty() || diagnostic.getKind() != SourceMgr::DK_Error)
    return;
  read.error = diagnostic.getMessage().str();
  if (diagnostic.getLineContents().contains('?'))
    read.error += "; write ? in quotes: \"?\"";
  read.errorLine = std::max(diagnostic.getLineNo(), 1);
}

Expected<RuleSet> RuleSet::parse(StringRef text, StringRef origin) {
  if (Error error = checkYaml(text, origin, ruleForm))
    return std::move(error);
  RuleSet set;
  set.origin = origin.str();
  ReadContext context;
  context.counted = text.begin();
  yaml::Input input(text, &context, keepFirst, &context);
  input >> set.rules;
  if (input.error())
    return createStringError(origin + ":" + Twine(context.errorLine) + ": " + context.error);
  if (set.rules.empty())
    return createStringError(origin + ": there are no rules in it");
  for (Rule &rule : set.rules)
    rule.origin = set.origin;
  return set;
}

Expected<RuleSet> RuleSet::named(StringRef nameOrPath) {
  if (std::optional<StringRef> text = builtInRules(nameOrPath)) {
    Expected<RuleSet> set = parse(*text, nameOrPath);
    if (set) {
      set->isBuiltIn = true;
      for (Rule &rule : set->rules)
        rule.isBuiltIn = true;
    }
    return set;
  }
  auto file = readYaml(nameOrPath, ruleForm);
  if (!file)
    return createStringError(toString(file.takeError()) + "; built-in sets are " +
                             builtInRuleNames());
  return parse((*file)->getBuffer(), nameOrPath);
}

} // namespace sheaf::sharding
