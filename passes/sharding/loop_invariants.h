// What is the same in every trip of a loop.
#ifndef SHEAF_PASSES_SHARDING_LOOP_INVARIANTS_H
#define SHEAF_PASSES_SHARDING_LOOP_INVARIANTS_H

#include "mlir/IR/Operation.h"

namespace sheaf::sharding {

/// Moves before the loops in `root` what does not change in them: what moves values between ranks, what takes no more
/// bytes than the values it is made of, and all that these need. What grows, as masks and broadcasts do, stays where it
/// is used: it costs little there, and memory for the whole loop outside.
void hoistInvariants(mlir::Operation *root);

} // namespace sheaf::sharding

#endif
