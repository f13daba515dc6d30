// Which regular expressions rules may have: matching repeats as deep as it is told.
#ifndef SHEAF_PASSES_SHARDING_RULE_LIMITS_H
#define SHEAF_PASSES_SHARDING_RULE_LIMITS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace sheaf::sharding {

/// Why `pattern` is not taken as a regular expression; empty if it is. Long ones and what repeats repetitions take
/// minutes to match, and back references may take for ever.
std::string checkPattern(llvm::StringRef pattern);

} // namespace sheaf::sharding

#endif
