// What a training run tells while it goes on.
#ifndef SHEAF_RUNTIME_LAUNCH_TRAINING_LISTENER_H
#define SHEAF_RUNTIME_LAUNCH_TRAINING_LISTENER_H

#include "runtime/launch/training/step_metrics.h"

#include <string_view>

namespace sheaf::rt::launch {

/// A step that is done.
struct StepFacts {
  int64_t step = 0;     ///< from 1
  int64_t numSteps = 0; ///< the last one's number
  int64_t epoch = 0;    ///< that the step is of, from 1
  StepMetrics metrics;
  double seconds = 0;    ///< that the step took
  int64_t samples = 0;   ///< of the step, on all ranks
  double tokens = 0;     ///< of the step, on all ranks; 0: the program counts none
  int64_t peakBytes = 0; ///< of the rank that needs the most
};

/// A validation that is done.
struct EvalFacts {
  int64_t step = 0; ///< after which it was
  int64_t epoch = 0;
  double loss = 0;                ///< mean over all that counts; NaN when nothing does
  std::optional<double> accuracy; ///< of all that counts
  double counted = 0;             ///< samples or tokens, as the program counts
  double seconds = 0;
};

/// Called on rank 0, in its thread. Errors end the run.
class TrainingListener {
public:
  virtual ~TrainingListener() = default;

  virtual Status onStep(const StepFacts &facts) = 0;
  virtual Status onEval(const EvalFacts &facts) = 0;
  /// Something that the user should know, once.
  virtual void onWarning(std::string_view text) = 0;
  /// The run was asked to end, and does after the saving that may follow.
  virtual void onStop(int64_t step) = 0;
};

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_TRAINING_LISTENER_H
