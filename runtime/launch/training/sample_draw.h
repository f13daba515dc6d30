// How a run draws samples: what must stay as it was for a resumed run to go on as if it had not stopped.
#ifndef SHEAF_RUNTIME_LAUNCH_TRAINING_SAMPLE_DRAW_H
#define SHEAF_RUNTIME_LAUNCH_TRAINING_SAMPLE_DRAW_H

#include "runtime/io/strict_json.h"
#include "runtime/launch/training/position.h"
#include "runtime/launch/training/sample_feed.h"

namespace sheaf::rt::launch {

struct SampleDraw {
  int64_t numSamples = 0;
  int64_t samplesPerStep = 0;
  bool isShuffled = true;
  uint64_t data =
      0; ///< a fingerprint of which samples feed which input: of large data, of some of them

  static SampleDraw of(const SampleFeed &feed, const TrainingPlan &plan);
};

/// What the index of a checkpoint keeps of it.
io::Json drawJson(const SampleDraw &draw);

/// The draw that "training" of a checkpoint's index keeps; none in those that keep no draw. Errors: what is there is no
/// draw.
Result<std::optional<SampleDraw>> savedDraw(const io::Json &training);

/// What is other now, for people to read; empty: nothing.
std::string changesBetween(const SampleDraw &saved, const SampleDraw &now);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_TRAINING_SAMPLE_DRAW_H
