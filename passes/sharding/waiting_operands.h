// Which operands of an op may stay partial while it works on them.
#ifndef SHEAF_PASSES_SHARDING_WAITING_OPERANDS_H
#define SHEAF_PASSES_SHARDING_WAITING_OPERANDS_H

#include "dialects/dist/tensor_sharding.h"
#include "mlir/IR/Operation.h"

namespace sheaf::sharding {

/// Operands that are partial in the same way: the op gives results that are too, so that they can be
/// combined later, and fewer of them.
struct WaitingOperands {
  llvm::SmallVector<unsigned, 2> operands;
  dist::AxisList axes;
  dist::PartialKind kind;
};

/// Whether the whole `value` is a part of itself: the ranks' copies combine to it.
bool isItsOwnPart(mlir::Value value, dist::PartialKind kind);

/// The choices there are for `op`. `parts` holds, for each operand, the sharding of a partial value that
/// it is or is combined from.
std::vector<WaitingOperands>
waitingOperandsOf(mlir::Operation *op, llvm::ArrayRef<std::optional<dist::TensorSharding>> parts);

} // namespace sheaf::sharding

#endif
