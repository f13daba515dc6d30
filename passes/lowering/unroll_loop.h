// Repeats the body of a loop.
#ifndef SHEAF_PASSES_LOWERING_UNROLL_LOOP_H
#define SHEAF_PASSES_LOWERING_UNROLL_LOOP_H

#include "dialects/graph/graph.h"

namespace sheaf::lowering {

/// Puts the ops of every trip in the place of `loop`, in which there is no other. Errors: they are too many.
llvm::LogicalResult unrollLoop(graph::LoopOp loop);

} // namespace sheaf::lowering

#endif
