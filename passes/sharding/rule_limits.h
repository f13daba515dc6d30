// What rules may be: checked before they are parsed, since parsers recurse and repeat as deep as they are told.
#ifndef SHEAF_PASSES_SHARDING_RULE_LIMITS_H
#define SHEAF_PASSES_SHARDING_RULE_LIMITS_H

#include "llvm/Support/Error.h"
#include <string>

namespace sheaf::sharding {

/// Bytes that a file of rules may have: more than 10,000 rules.
inline constexpr size_t kMaxRuleBytes = size_t(1) << 20;

/// Errors, with file and line: more bytes, deeper nesting than rules have, a second YAML document.
llvm::Error checkRuleText(llvm::StringRef text, llvm::StringRef origin);

/// Why `pattern` is not taken as a regular expression; empty if it is. Long ones and what repeats repetitions take
/// minutes to match, and back references may take for ever.
std::string checkPattern(llvm::StringRef pattern);

} // namespace sheaf::sharding

#endif
