// Names of a model, which may hold any bytes, as the text that files hold.
#ifndef SHEAF_PASSES_LOWERING_EMIT_NAME_TEXT_H
#define SHEAF_PASSES_LOWERING_EMIT_NAME_TEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace sheaf::lowering {

/// `name` itself when it is UTF-8; else with `\xE9` for each byte that is of no character and `\\` for
/// a backslash, so that different names stay different.
std::string nameText(llvm::StringRef name);

} // namespace sheaf::lowering

#endif
