// Saves checkpoints behind a training loop.
#ifndef SHEAF_RUNTIME_LAUNCH_CHECKPOINT_WRITER_H
#define SHEAF_RUNTIME_LAUNCH_CHECKPOINT_WRITER_H

#include "runtime/io/checkpoint/save.h"
#include "runtime/launch/agreement.h"

#include <atomic>
#include <thread>

namespace sheaf::rt::launch {

/// Where and how a job saves.
struct CheckpointOptions {
  std::filesystem::path series; ///< the folder of the checkpoints
  int keep = 0;                 ///< complete ones that stay; 0: all
  int64_t pieceBytes = io::defaultPieceBytes;
  io::StageListener onStage = {}; ///< for tests
};

/// One rank's part in the saves of its job. A save copies the rank's blocks, and a thread of its own writes them
/// while the rank goes on. That thread talks to no other rank: when all have written is found out, and the checkpoint
/// is committed, by the ranks' own threads in `poll`, between two steps.
///
/// All ranks call the same functions in the same order. What fails, on any rank, fails on all: the save is then gone,
/// those before it stay, and later ones may be tried.
class CheckpointWriter {
public:
  /// `executable` and `agreement` must outlive the result. Errors: a variable can't be saved; no memory for the copy.
  static Result<std::unique_ptr<CheckpointWriter>>
  create(const Executable &executable, Agreement &agreement, CheckpointOptions options);
  /// Waits for the thread. A save that is not committed is lost; the next job cleans it up.
  ~CheckpointWriter();

  /// Finishes the save before this one, copies `variables` and starts to write them. `training` is what the loop
  /// wants back: an object, that of rank 0 counts.
  Status save(const Variables &variables, int64_t step, io::Json training);
  /// To be called between steps: commits the save that all have written. Does not wait for writing. Errors: that of a
  /// rank's writer, or of the commit.
  Status poll();
  /// Waits until the save under way has been written, and commits it.
  Status finish();

  /// True until the save is committed or has failed.
  bool isSaving() const { return target.has_value(); }
  /// The checkpoint that was committed last; none yet: empty.
  const std::filesystem::path &lastCommitted() const { return committed; }

private:
  CheckpointWriter(const Executable &executable, Agreement &agreement, CheckpointOptions options,
                   io::Snapshot snapshot)
      : executable(executable), agreement(agreement), options(std::move(options)),
        snapshot(std::move(snapshot)) {}

  Status begin(int64_t step);
  void write();
  /// Whether no rank writes any more.
  Result<bool> haveAllWritten();
  Status commit();

  const Executable &executable;
  Agreement &agreement;
  CheckpointOptions options;
  io::Snapshot snapshot;
  std::optional<io::SaveTarget> target; ///< of the save under way
  io::Json training;
  std::filesystem::path committed;
  std::thread writer;
  std::atomic<bool> isWritten = false; ///< the thread is done; `written` is for others then
  Status written;
};

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_CHECKPOINT_WRITER_H
