// Batch normalization in training: statistics of the batch instead of running ones, which follow them.
#ifndef SHEAF_PASSES_TRAINING_BATCH_STATISTICS_H
#define SHEAF_PASSES_TRAINING_BATCH_STATISTICS_H

#include "dialects/graph/primitive_builder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace sheaf::training {

/// A batch_norm whose mean and variance are parameters of the model.
struct RunningNorm {
  graph::BatchNormOp op; ///< in the model
  unsigned mean, variance;
  double momentum;
};

/// Those of a model that are trained: all but those whose statistics are frozen.
class BatchStatistics {
public:
  BatchStatistics() = default;
  /// Errors: at an op, statistics that are constants, or of which only one is frozen.
  static mlir::FailureOr<BatchStatistics>
  create(mlir::func::FuncOp model, llvm::function_ref<bool(unsigned argument)> isFrozen);

  /// Arguments of the model that are running statistics.
  llvm::ArrayRef<unsigned> arguments() const { return running.getArrayRef(); }

  /// Lets clones of the norms, found by `mapping`, use the statistics of their operand over all dims but 1: means, and
  /// means of squared distances, in f32 or wider. `values` are the running statistics and become the new ones, of
  /// the same compute types: `momentum old + (1 - momentum) new`, as ONNX has it.
  void apply(const mlir::IRMapping &mapping, llvm::MutableArrayRef<mlir::Value> values) const;

private:
  std::vector<RunningNorm> norms;
  llvm::SetVector<unsigned> running;
};

} // namespace sheaf::training

#endif
