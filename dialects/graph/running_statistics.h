// What a batch_norm that is trained needs beside its operands.
#ifndef SHEAF_DIALECTS_GRAPH_RUNNING_STATISTICS_H
#define SHEAF_DIALECTS_GRAPH_RUNNING_STATISTICS_H

#include "llvm/ADT/StringRef.h"

namespace sheaf::graph {

/// On a batch_norm (an f64): the part of its running statistics that stays from batch to batch; 0.9 without one.
inline constexpr llvm::StringLiteral kMomentum("graph.momentum");

} // namespace sheaf::graph

#endif
