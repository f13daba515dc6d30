// Saves a training run as checkpoints, and restores it from one.
#ifndef SHEAF_RUNTIME_LAUNCH_TRAINING_CHECKPOINT_SAVER_H
#define SHEAF_RUNTIME_LAUNCH_TRAINING_CHECKPOINT_SAVER_H

#include "runtime/io/checkpoint/checkpoint.h"
#include "runtime/launch/checkpoint_writer.h"
#include "runtime/launch/training/run.h"
#include "runtime/launch/training/sample_draw.h"

namespace sheaf::rt::launch {

/// What the index of a checkpoint keeps of a position; the step is the checkpoint's own.
io::Json positionJson(const TrainingPosition &position);

/// The position of a checkpoint. Errors: it is not what a training run wrote.
Result<TrainingPosition> positionOf(const io::Checkpoint &checkpoint);

/// Makes the savers of a run's ranks: they write behind training as `options` say, and with `draw`. With `from`, which
/// must outlive the run, the variables are those of that checkpoint first. `executable` must outlive the run too.
SaverMaker checkpointSavers(const Executable &executable, CheckpointOptions options,
                            const SampleDraw &draw, const io::Checkpoint *from);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_TRAINING_CHECKPOINT_SAVER_H
