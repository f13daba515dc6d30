// A rule in a job: a glob and where its tensors live, dim by dim.
#ifndef SHEAF_TOOLS_SHARD_COMPILE_JOB_RULE_H
#define SHEAF_TOOLS_SHARD_COMPILE_JOB_RULE_H

#include "tools/shard-compile/job_text.h"

namespace sheaf::compile {

inline constexpr llvm::StringLiteral kRulesForm =
    "files, built-in sets and mappings, as in [gpt2, {\"*.c_fc.weight\": [_, tensor]}]";

/// The rule as text that --rules takes, with its line: a set of one, since a set has one place. `key` is that of all
/// rules. Errors: another form.
llvm::FailureOr<std::string> writeRule(JobText &text, llvm::StringRef key,
                                       llvm::yaml::KeyValueNode &rule);

} // namespace sheaf::compile

#endif
