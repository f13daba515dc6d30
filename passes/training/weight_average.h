// A moving average of each weight, kept beside it.
#ifndef SHEAF_PASSES_TRAINING_WEIGHT_AVERAGE_H
#define SHEAF_PASSES_TRAINING_WEIGHT_AVERAGE_H

#include "passes/training/step_function.h"
#include "passes/training/trained_parameters.h"

namespace sheaf::training {

/// The state "<parameter>.ema" of a program: of the parameter's compute type, zeros before the first step.
struct WeightAverage {
  WeightAverage(StepFunction &program, const TrainedParameter &parameter);

  std::string name;
  mlir::Value value;

  /// The value after a step, which is number `count` (from 1, f64) and gives `weight`:
  /// `decay old + (1 - decay) weight`, and the weight itself after the first step.
  mlir::Value after(graph::PrimitiveBuilder &b, double decay, mlir::Value weight,
                    mlir::Value count) const;
};

/// Lets an evaluation compute with averages, and with the weights before the first step.
void takeAverages(StepFunction &evaluation, llvm::ArrayRef<TrainedParameter> trained);

} // namespace sheaf::training

#endif
