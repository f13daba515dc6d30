// The loss and accuracy of a model over a whole set of data.
#ifndef SHEAF_RUNTIME_LAUNCH_TRAINING_VALIDATION_H
#define SHEAF_RUNTIME_LAUNCH_TRAINING_VALIDATION_H

#include "runtime/launch/training/fed_program.h"

namespace sheaf::rt::launch {

/// Sums over what counts: samples or tokens, as the program says.
struct EvalSums {
  double count = 0;
  double loss = 0;
  std::optional<double> correct; ///< none: the program does not tell

  /// NaN when nothing counts.
  double meanLoss() const { return loss / count; }
  std::optional<double> accuracy() const {
    return correct ? std::optional(*correct / count) : std::nullopt;
  }
};

/// How many runs of the evaluation take all samples. The last one may be filled up with padding; without any padding
/// samples that fill no run are left out.
int64_t numEvalRuns(const SampleFeed &feed);
/// Samples that are left out.
int64_t numEvalDropped(const SampleFeed &feed);

/// Runs `program` over all samples of `feed` in their order.
Result<EvalSums> sumOverData(FedProgram &program, const SampleFeed &feed);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_TRAINING_VALIDATION_H
