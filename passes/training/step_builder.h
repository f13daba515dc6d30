// Derives the programs of training from a model: a step and an evaluation.
#ifndef SHEAF_PASSES_TRAINING_STEP_BUILDER_H
#define SHEAF_PASSES_TRAINING_STEP_BUILDER_H

#include "passes/training/loss.h"
#include "passes/training/precision.h"
#include "passes/training/schedule.h"
#include "passes/training/trained_parameters.h"

namespace sheaf::training {

/// Gradients of f16 underflow unless the loss is scaled up (Micikevicius et al. 2018). A step whose gradients are not
/// finite changes nothing but the scale, which is halved; after `interval` steps without one it is doubled.
struct LossScale {
  double initial = 0.0; ///< 0: no scale
  int64_t interval = 2000;
};

struct StepOptions {
  LossOptions loss;
  OptimizerOptions optimizer;
  ScheduleOptions schedule;
  double weightDecay = 0.0;
  ParameterOptions parameters;
  /// "GLOB=RULE": first values of parameters, see initializers.h.
  llvm::SmallVector<std::string> initializers;
  PrecisionOptions precision;
  LossScale scale;
  double clipNorm = 0.0; ///< gradients are scaled down to this norm; 0: never
  int64_t microBatches = 1;
  double average =
      0.0; ///< of the weights, the part of it that stays from step to step; 0: no average is kept
  bool evaluatesAverage = false;
};

/// Puts the functions `train_step` and `eval` in the place of `model`.
///
/// Inputs get a first dim that counts micro-batches. `train_step` gives "loss" (mean over all that counts in all
/// micro-batches), "grad_norm" (before clipping), "learning_rate", how many count, as "tokens" or, where predictions
/// are no tokens, as "count", and, where there is one, "loss_scale"; it updates parameters and states. `eval` gives
/// "loss", "count" and, of classes, "correct".
/// Errors: options that make no sense, patterns that match nothing, an op without a gradient.
llvm::LogicalResult buildStep(mlir::func::FuncOp model, const StepOptions &options);

} // namespace sheaf::training

#endif
