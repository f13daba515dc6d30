// What a loop carries from trip to trip only to add to it.
#ifndef SHEAF_PASSES_SHARDING_CARRIED_SUM_H
#define SHEAF_PASSES_SHARDING_CARRIED_SUM_H

#include "dialects/dist/tensor_sharding.h"
#include "mlir/IR/Operation.h"

namespace sheaf::sharding {

/// The operand of `op` that a loop carries into it and to nobody else, where `op` makes the next of it, for the next
/// trip and nobody else: a sum over the trips, if `op` adds. Ranks may carry parts of such a value, since nobody looks
/// at it before the last trip. Null when there is none.
mlir::OpOperand *findCarriedSum(mlir::Operation *op);

/// The constant that the carried `argument` of a loop begins with, where ranks' copies of it are parts of it: a zero,
/// for sums. Null for others.
mlir::Operation *findCommonBegin(mlir::BlockArgument argument, dist::PartialKind kind);

} // namespace sheaf::sharding

#endif
