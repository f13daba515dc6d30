// The learning rate of each step.
#ifndef SHEAF_PASSES_TRAINING_SCHEDULE_H
#define SHEAF_PASSES_TRAINING_SCHEDULE_H

#include "dialects/graph/primitive_builder.h"
#include <string>

namespace sheaf::training {

/// How the learning rate goes; steps count from 1. All kinds rise from 0 to the peak, linearly, in `warmup` steps.
///
///   constant       stays there
///   linear         falls in a line to `final` times the peak at step `steps`, and stays there
///   cosine         falls by half a cosine to the same (Loshchilov and Hutter 2017)
///   inverse_sqrt   falls as sqrt(warmup / step) (Vaswani et al. 2017)
///   wsd            stays, then falls in a line over the last `decay` steps (Hu et al. 2024)
struct ScheduleOptions {
  std::string kind = "constant";
  double peak = 1e-3;
  int64_t warmup = 0;
  int64_t steps = 0; ///< when the fall ends
  int64_t decay = 0; ///< of wsd: how long it takes
  double final = 0.0;
};

/// Errors: through `emitError`, an unknown kind, numbers that make no sense, or have no effect.
llvm::LogicalResult checkSchedule(const ScheduleOptions &options,
                                  llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// The learning rate of a step, a scalar of f64 as `step` is. The options have been checked.
mlir::Value buildSchedule(graph::PrimitiveBuilder &b, const ScheduleOptions &options,
                          mlir::Value step);

} // namespace sheaf::training

#endif
