// Writes the rules of a job as text.
#include "tools/shard-compile/job_rule.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace sheaf::compile {

static constexpr StringLiteral dimForm = "a list of axes, one axis, or _ for any, of each dim";

static std::string quote(yaml::ScalarNode &scalar) {
  SmallString<64> storage;
  return "\"" + yaml::escape(scalar.getValue(storage), /*EscapePrintable=*/false) + "\"";
}

/// Axes, and lists of axes as far down as `depth` says.
static FailureOr<std::string> writeAxes(JobText &text, StringRef key, yaml::SequenceNode &list,
                                        int depth) {
  std::string written;
  ListSeparator comma;
  for (yaml::Node &entry : list) {
    written += StringRef(comma);
    auto *inner = dyn_cast<yaml::SequenceNode>(&entry);
    if (auto *axis = dyn_cast<yaml::ScalarNode>(&entry)) {
      written += quote(*axis);
    } else if (inner && depth > 1) {
      FailureOr<std::string> axes = writeAxes(text, key, *inner, depth - 1);
      if (failed(axes))
        return failure();
      written += *axes;
    } else {
      return text.refuseForm(&entry, key, dimForm);
    }
  }
  return "[" + written + "]";
}

FailureOr<std::string> writeRule(JobText &text, StringRef key, yaml::KeyValueNode &rule) {
  auto *glob = dyn_cast_or_null<yaml::ScalarNode>(rule.getKey());
  if (!glob)
    return text.refuseForm(rule.getKey() ? rule.getKey() : &rule, key, kRulesForm);
  std::string start =
      (text.getPath() + ":" + Twine(text.lineOf(glob)) + ": [{glob: ").str() + quote(*glob);
  auto *dims = dyn_cast<yaml::SequenceNode>(rule.getValue());
  if (!dims)
    return text.refuseForm(glob, key, kRulesForm);
  FailureOr<std::string> axes = writeAxes(text, key, *dims, /*depth=*/2);
  if (failed(axes))
    return failure();
  return start + ", axes: " + *axes + "}]";
}

} // namespace sheaf::compile
