// Casts that say when they round what ranks add up.
#ifndef SHEAF_DIALECTS_GRAPH_CAST_OF_PARTS_H
#define SHEAF_DIALECTS_GRAPH_CAST_OF_PARTS_H

#include "llvm/ADT/StringRef.h"

// Units on a cast between floats whose operand ranks may hold in parts that add up to it. Without one of them parts
// are widened, but only their sum is narrowed.
namespace sheaf::graph {

/// Each rank rounds its part, and the parts of the result are added up.
inline constexpr llvm::StringLiteral kRoundsParts("graph.rounds_parts");
/// Parts are added up before, in the type of the operand.
inline constexpr llvm::StringLiteral kWaitsForSum("graph.waits_for_sum");

} // namespace sheaf::graph

#endif
