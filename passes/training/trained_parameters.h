// Which parameters of a model are trained, and how each.
#ifndef SHEAF_PASSES_TRAINING_TRAINED_PARAMETERS_H
#define SHEAF_PASSES_TRAINING_TRAINED_PARAMETERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/training/batch_statistics.h"
#include "passes/training/optimizer.h"

namespace sheaf::training {

/// Globs of names of parameters.
struct ParameterOptions {
  llvm::SmallVector<std::string> noDecay;  ///< no weight decay
  llvm::SmallVector<std::string> frozen;   ///< stay as they are
  llvm::SmallVector<std::string> adamwFor; ///< updated by the optimizer's other rule
  llvm::SmallVector<std::string>
      rates; ///< "GLOB=FACTOR" of the learning rate; the last that matches counts
};

/// A parameter that is trained.
struct TrainedParameter {
  unsigned argument; ///< of the model
  llvm::StringRef name;
  const Optimizer *optimizer;
  bool decays = true;
  double rateFactor = 1.0; ///< of the learning rate
};

/// All that changes from step to step.
struct TrainedValues {
  std::vector<TrainedParameter> parameters;
  BatchStatistics statistics;
};

/// The trained parameters of `model`, in the order of its arguments; their optimizer is `optimizer` or its other one.
/// Errors: at `model`, globs that are none or match nothing, factors that are no numbers, batch norms that
/// can't be trained, no parameter to train.
mlir::FailureOr<TrainedValues> findTrainedValues(mlir::func::FuncOp model,
                                                 const ParameterOptions &options,
                                                 const Optimizer &optimizer);

} // namespace sheaf::training

#endif
