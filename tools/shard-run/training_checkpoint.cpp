// Finds the checkpoint to go on from.
#include "tools/shard-run/training_checkpoint.h"

#include "runtime/io/checkpoint/restore.h"
#include "runtime/io/checkpoint/series.h"
#include "runtime/launch/training/checkpoint_saver.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace sheaf::shard_run {

using rt::Result, rt::Status;

/// Makes the folder and tries whether it can be written to: else a run would fail at its first save.
static Status prepareFolder(const std::string &folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return Status::invalid("--checkpoint: can't make the folder ", folder, ": ", error.message());
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return Status::invalid("--checkpoint: can't write to ", folder, ": ", std::strerror(errno));
  return {};
}

/// What a run draws from other samples than before is no longer what one without a stop would.
static Status checkDraw(const rt::io::Checkpoint &checkpoint, const rt::launch::SampleDraw &draw) {
  auto saved = rt::launch::savedDraw(checkpoint.index().training);
  if (!saved.isOk())
    return saved.takeStatus().annotated(checkpoint.path().string());
  std::string changes = *saved ? rt::launch::changesBetween(**saved, draw) : std::string();
  return changes.empty() ? Status()
                         : Status::invalid("samples are not drawn as before: ", changes,
                                           "; to go on all the same, add --allow-other-data");
}

Result<TrainingStart> findStart(const Options &options, const rt::Executable &executable,
                                const rt::launch::SampleDraw &draw) {
  TrainingStart start;
  start.position.seed = options.seed.value_or(0);
  const std::string &folder = options.training.checkpoint;
  if (folder.empty())
    return start;
  auto latest = rt::io::latestCheckpoint(folder);
  if (!latest.isOk())
    return latest.takeStatus();
  if (!*latest && options.training.resumes)
    return Status::invalid("--resume: ", folder,
                           " holds no complete checkpoint; without it the run is new");
  if (Status status = prepareFolder(folder); !status.isOk())
    return status;
  if (!*latest)
    return start;
  if (!options.training.resumes)
    return Status::invalid("--checkpoint: ", folder, " holds ", (*latest)->filename().string(),
                           " of a run; go on with --resume, or give another folder");
  auto opened = rt::io::Checkpoint::open(**latest);
  if (!opened.isOk())
    return opened.takeStatus().annotated("--resume");
  if (Status status = rt::io::checkSameVariables(*opened, executable); !status.isOk())
    return std::move(status).annotated("--resume");
  auto position = rt::launch::positionOf(*opened);
  if (!position.isOk())
    return position.takeStatus().annotated("--resume");
  if (options.seed && *options.seed != position->seed)
    return Status::invalid("--seed ", *options.seed,
                           ": the run that --resume goes on with has seed ", position->seed);
  if (!options.training.allowsOtherData)
    if (Status status = checkDraw(*opened, draw); !status.isOk())
      return std::move(status).annotated("--resume");
  start.checkpoint = std::make_unique<rt::io::Checkpoint>(std::move(*opened));
  start.position = *position;
  return start;
}

} // namespace sheaf::shard_run
