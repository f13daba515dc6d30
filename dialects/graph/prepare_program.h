// The program that gives variables their first values.
#ifndef SHEAF_DIALECTS_GRAPH_PREPARE_PROGRAM_H
#define SHEAF_DIALECTS_GRAPH_PREPARE_PROGRAM_H

#include "llvm/ADT/StringRef.h"

namespace sheaf::graph {

/// The function, and program, that runs once when an executable is loaded.
inline constexpr llvm::StringLiteral kPrepare("prepare");

} // namespace sheaf::graph

#endif
