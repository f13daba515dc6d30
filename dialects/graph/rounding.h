// A cast that rounds although types say that it need not.
#ifndef SHEAF_DIALECTS_GRAPH_ROUNDING_H
#define SHEAF_DIALECTS_GRAPH_ROUNDING_H

#include "llvm/ADT/StringRef.h"

namespace sheaf::graph {

/// A unit on a cast to a narrower float, which then stays where its operand was widened from that very type. Kernels
/// keep what passes through them in the compute type, and only casts round there: without this one, whether a number
/// is rounded depends on whether a kernel ends before it is used, which layouts change.
inline constexpr llvm::StringLiteral kRounds("graph.rounds");

} // namespace sheaf::graph

#endif
