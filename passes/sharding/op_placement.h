// Where an op computes: how its factors are cut, given where its tensors are and are wanted.
#ifndef SHEAF_PASSES_SHARDING_OP_PLACEMENT_H
#define SHEAF_PASSES_SHARDING_OP_PLACEMENT_H

#include "passes/sharding/op_rule.h"
#include "passes/sharding/reshard_path.h"
#include "passes/sharding/waiting_operands.h"

namespace sheaf::sharding {

/// How an op runs on its mesh.
struct OpPlacement {
  /// Where each operand must be, and where each result comes out, perhaps partial.
  std::vector<dist::TensorSharding> operands, results;
  /// Bytes that each rank sends to bring operands there and results to where they are wanted, and
  /// through windows in between.
  double sentBytes = 0;
};

/// The tensors of an op: operands, then results, with their whole types.
struct OpTensors {
  llvm::SmallVector<mlir::RankedTensorType, 4> types;
  /// Where each operand is and each result is wanted.
  std::vector<dist::TensorSharding> shardings;
  /// For each operand, the sharding of a partial value that it is, or is combined from for this op
  /// alone.
  std::vector<std::optional<dist::TensorSharding>> parts;
  /// Which operands may stay partial.
  std::vector<WaitingOperands> waiting;
};

/// The placement that sends the fewest bytes; of equals the one that leaves each rank the least to
/// compute, then the one that combines partial operands the latest, then the first. Tried are the cuts
/// that each tensor asks for, completed by the others, each also with the axes of dims that must be
/// whole moved to a dim that may be cut, and with partial operands left so. `flops` is the work of the
/// whole op. Before all that goes how many of the `shared` axes that cut an operand cut the work, then that what is
/// to be combined along them is not combined before it has to be.
OpPlacement placeOp(const OpRule &rule, const OpTensors &tensors, double flops,
                    dist::AxisListRef shared, ReshardPaths &paths);

} // namespace sheaf::sharding

#endif
