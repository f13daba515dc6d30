// What a step changes: parameters, states, running statistics.
#ifndef SHEAF_PASSES_TRAINING_STEP_UPDATES_H
#define SHEAF_PASSES_TRAINING_STEP_UPDATES_H

#include "dialects/dist/dist.h"
#include "passes/training/step_builder.h"
#include "passes/training/step_function.h"

namespace sheaf::training {

/// A gradient of the parameter, marked for what decides where it is kept.
mlir::Value mark(graph::PrimitiveBuilder &b, dist::MarkKind kind, mlir::Value value,
                 const TrainedParameter &parameter);

/// Builds the end of a training step.
class StepUpdates {
public:
  /// `lossScale` is what gradients have been multiplied by; null without one. All given must outlive it.
  StepUpdates(StepFunction &step, const StepOptions &options, const TrainedValues &trained,
              const StepPrecision &precision, mlir::Value lossScale)
      : step(step), options(options), trained(trained), precision(precision), lossScale(lossScale) {
  }

  /// Adds the results "grad_norm" and "learning_rate", and the updates. `gradients` are those of the trained
  /// parameters, `running` the running statistics after the step.
  void build(llvm::ArrayRef<mlir::Value> gradients, llvm::ArrayRef<mlir::Value> running);

private:
  /// The norm of all gradients as one vector.
  mlir::Value buildNorm(graph::PrimitiveBuilder &b, llvm::ArrayRef<mlir::Value> gradients);
  /// What gradients are multiplied by to be clipped; null when they are not.
  mlir::Value buildClip(graph::PrimitiveBuilder &b, mlir::Value norm);
  /// Whether the step counts, from the norm; null when it always does. Updates the scale.
  mlir::Value buildLossScale(mlir::Value norm);
  void buildUpdate(const TrainedParameter &parameter, mlir::Value gradient, mlir::Value rate,
                   mlir::Value count);
  void buildRunning(llvm::ArrayRef<mlir::Value> running);
  /// The variable has the value from then on, if the step counts.
  void update(graph::PrimitiveBuilder &b, const llvm::Twine &name, mlir::Value old,
              mlir::Value value);

  StepFunction &step;
  const StepOptions &options;
  const TrainedValues &trained;
  const StepPrecision &precision;
  mlir::Value lossScale, counts;
};

} // namespace sheaf::training

#endif
