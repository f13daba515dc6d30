// Reverse-mode differentiation of a straight list of ops.
#ifndef SHEAF_PASSES_TRAINING_REVERSE_SWEEP_H
#define SHEAF_PASSES_TRAINING_REVERSE_SWEEP_H

#include "dialects/graph/primitive_builder.h"
#include "mlir/IR/Block.h"

namespace sheaf::training {

/// Whether values of this type have gradients: float tensors do.
bool hasGradients(mlir::Type type);

/// `value` in its compute type: what it was before it was rounded, where it just was.
mlir::Value widened(graph::PrimitiveBuilder &b, mlir::Value value);

/// Builds, before the terminator of `block`, the gradients of `output` by `inputs`, in their order. All
/// are float tensors that `block` has or sees; `output` has one element. What does not depend on an
/// input has zeros.
///
/// Order:  the gradients of a value's uses are added up from the last use to the first.
/// Ops that have a decomposition but no gradient are replaced by it where they are used.
/// Errors: at each op between the inputs and the output that has neither; nothing is built then.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
buildGradients(mlir::Block &block, mlir::Value output, llvm::ArrayRef<mlir::Value> inputs);

} // namespace sheaf::training

#endif
