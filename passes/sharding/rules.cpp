// Reads rules from YAML.
#include "passes/sharding/rules.h"
#include "passes/sharding/rule_limits.h"

#include "dialects/support/yaml_text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"
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
  unsigned line;
  /// Whether the last rule that was read names tensors in one way.
  bool hasOnePattern = false;
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
    std::optional<std::string> name, glob;
    io.mapOptional("name", name);
    io.mapOptional("glob", glob);
    context.hasOnePattern = name.has_value() != glob.has_value();
    rule.isGlob = glob.has_value();
    rule.pattern = std::move(glob ? glob : name).value_or("");
    io.mapOptional("axes", rule.axes);
    io.mapOptional("columns", rule.columns);
    io.mapOptional("rows", rule.rows);
  }
  static std::string validate(IO &io, Rule &rule) {
    if (!static_cast<ReadContext *>(io.getContext())->hasOnePattern ||
        rule.axes.has_value() + !rule.columns.empty() + !rule.rows.empty() != 1)
      return "a rule has a name or a glob, and one of axes, columns and rows";
    if (!rule.isGlob)
      return checkPattern(rule.pattern);
    Expected<GlobPattern> glob = GlobPattern::create(rule.pattern);
    return glob ? "" : "\"" + rule.pattern + "\": " + toString(glob.takeError());
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

Expected<RuleSet> RuleSet::parse(StringRef text, StringRef origin, unsigned firstLine) {
  if (Error error = checkYaml(text, origin, ruleForm))
    return std::move(error);
  RuleSet set;
  set.origin = origin.str();
  ReadContext context;
  context.counted = text.begin();
  context.line = firstLine;
  yaml::Input input(text, &context, keepFirst, &context);
  input >> set.rules;
  if (input.error())
    return createStringError(origin + ":" + Twine(context.errorLine + firstLine - 1) + ": " +
                             context.error);
  if (set.rules.empty())
    return createStringError(origin + ": there are no rules in it");
  for (Rule &rule : set.rules)
    rule.origin = set.origin;
  return set;
}

bool isRuleText(StringRef text) { return text.contains("[{") && text.ends_with("}]"); }

/// Of a text of rules that may say where it was taken from.
static Expected<RuleSet> parseInline(StringRef text) {
  auto [place, rest] = text.split(": [{");
  auto [file, number] = place.rsplit(':');
  unsigned line;
  if (rest.empty() || number.getAsInteger(10, line))
    return RuleSet::parse(text, "rules");
  return RuleSet::parse(text.drop_front(place.size() + 2), file, line);
}

Expected<RuleSet> RuleSet::named(StringRef name) {
  if (isRuleText(name))
    return parseInline(name);
  if (std::optional<StringRef> text = builtInRules(name)) {
    Expected<RuleSet> set = parse(*text, name);
    if (set) {
      set->isBuiltIn = true;
      for (Rule &rule : set->rules)
        rule.isBuiltIn = true;
    }
    return set;
  }
  auto file = readYaml(name, ruleForm);
  if (!file)
    return createStringError(toString(file.takeError()) + "; built-in sets are " +
                             builtInRuleNames());
  return parse((*file)->getBuffer(), name);
}

} // namespace sheaf::sharding
