// Which parameters a call moves between ranks.
#ifndef SHEAF_DIALECTS_EXEC_MOVED_PARAMETERS_H
#define SHEAF_DIALECTS_EXEC_MOVED_PARAMETERS_H

#include "llvm/ADT/StringRef.h"

namespace sheaf::exec {

/// On a call of a collective, an array of strings: the parameters that it moves, or whose gradients it does, in the
/// order of its tensors (`dist.parameters`). For reports: it is not in the executable.
inline constexpr llvm::StringLiteral kMovedParameters("exec.parameters");

} // namespace sheaf::exec

#endif
