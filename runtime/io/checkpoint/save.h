// A checkpoint on its way into a series: begun, written by all ranks, committed.
#ifndef SHEAF_RUNTIME_IO_CHECKPOINT_SAVE_H
#define SHEAF_RUNTIME_IO_CHECKPOINT_SAVE_H

#include "runtime/io/checkpoint/rank_file.h"

namespace sheaf::rt::io {

/// What a save is of.
struct SaveTarget {
  std::filesystem::path series; ///< the folder of the checkpoints; made when it is missing
  int64_t step = 0;
  uint64_t token = 0; ///< tells this save from others of the step; the same on all ranks
  int keep = 0;       ///< complete checkpoints that stay; 0: all

  /// Where ranks write (see writeRankFile): "series/step-000123.partial-<token>".
  std::filesystem::path partialPath() const;
  /// Where the checkpoint is once it is complete.
  std::filesystem::path finalPath() const;
};

/// By one rank, first: cleans what earlier saves have left, and makes the folder that all ranks write to.
Status beginSave(const SaveTarget &target, const StageListener &onStage = {});

/// By one rank, when all have written: joins the parts of ranks 0 to `numRanks` - 1 to the index, puts the folder in
/// its place, marks it complete and removes checkpoints that are too many. When the process ends at any point of
/// this, the series has the new checkpoint complete, or what it had before (see cleanSeries). `training` is an
/// object.
Status commitSave(const SaveTarget &target, int numRanks, std::span<const Mesh::Axis> mesh,
                  const Json &training, const StageListener &onStage = {});

/// Instead of a commit: removes what has been written.
Status discardSave(const SaveTarget &target);

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_CHECKPOINT_SAVE_H
