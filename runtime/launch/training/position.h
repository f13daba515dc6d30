// Where a training run is, how far it goes, and which samples a step takes.
#ifndef SHEAF_RUNTIME_LAUNCH_TRAINING_POSITION_H
#define SHEAF_RUNTIME_LAUNCH_TRAINING_POSITION_H

#include "runtime/core/status.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sheaf::rt::launch {

/// All that a run has to know, beside the variables, to go on bit for bit. Plain data: checkpoints store it.
struct TrainingPosition {
  int64_t step = 0;   ///< steps done
  int64_t epoch = 0;  ///< epochs done
  int64_t sample = 0; ///< samples of the current epoch that were taken
  uint64_t seed = 0;  ///< of the order of samples and of random nodes

  friend bool operator==(const TrainingPosition &, const TrainingPosition &) = default;
};

/// How samples become steps. The same on all ranks: it knows nothing of layouts.
struct TrainingPlan {
  int64_t numSamples = 0;
  int64_t samplesPerStep = 1;
  bool isShuffled = true;
  std::optional<int64_t> steps = {};  ///< train until so many are done, or
  std::optional<int64_t> epochs = {}; ///< until so many are

  /// Samples at the end of each epoch that fill no step.
  int64_t numDropped() const { return numSamples % samplesPerStep; }

  /// Errors: fewer samples than a step takes; a position that is not within the data; more steps than fit a number.
  Status check(const TrainingPosition &start) const;
  /// Steps that will have been done at the end of a run from `start`, which `check` has found good.
  int64_t lastStep(const TrainingPosition &start) const;

  /// The samples of the step at `position`, in the order of the run.
  std::vector<int64_t> samplesAt(const TrainingPosition &position) const;
  /// The place to go on from: a rest that fills no step is left out.
  TrainingPosition settled(TrainingPosition position) const;
  /// `position` after that step.
  TrainingPosition next(TrainingPosition position) const;

private:
  std::optional<int64_t> stepsOfEpochs(TrainingPosition start) const;
};

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_TRAINING_POSITION_H
