// Where shard-run saves a training run, and what it goes on from.
#ifndef SHEAF_TOOLS_SHARD_RUN_TRAINING_CHECKPOINT_H
#define SHEAF_TOOLS_SHARD_RUN_TRAINING_CHECKPOINT_H

#include "runtime/core/executable.h"
#include "runtime/io/checkpoint/checkpoint.h"
#include "runtime/launch/training/sample_draw.h"
#include "tools/shard-run/options.h"

#include <memory>

namespace sheaf::shard_run {

/// What a run begins with.
struct TrainingStart {
  std::unique_ptr<rt::io::Checkpoint> checkpoint; ///< null: the run is new
  rt::launch::TrainingPosition position;
};

/// Opens the checkpoint that the options ask to resume from. Errors: there is none, or it does not fit `executable`; a
/// new run would be saved among the checkpoints of another; --seed is not that of the run; `draw` is not, unless the
/// options allow it.
rt::Result<TrainingStart> findStart(const Options &options, const rt::Executable &executable,
                                    const rt::launch::SampleDraw &draw);

} // namespace sheaf::shard_run

#endif // SHEAF_TOOLS_SHARD_RUN_TRAINING_CHECKPOINT_H
