// Puts a checkpoint into its place in steps of which each leaves a readable series.
#include "runtime/io/checkpoint/save.h"

#include "runtime/io/atomic_file.h"
#include "runtime/io/checkpoint/series.h"
#include "runtime/io/durable_file.h"
#include "runtime/io/sha256.h"

#include <cstdio>

namespace sheaf::rt::io {
namespace fs = std::filesystem;
namespace {

std::string tokenText(uint64_t token) {
  char text[32];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(token));
  return text;
}

Result<CheckpointIndex> readPart(const fs::path &folder, int rank) {
  Result<MappedFile> file = MappedFile::open(folder / rankPartName(rank));
  if (!file.isOk())
    return file.takeStatus().annotated("rank ", rank,
                                       " has written nothing that this rank can see; the folder "
                                       "must be on a file system that all hosts share");
  Result<CheckpointIndex> part = parseIndex(file->bytes());
  return part.isOk() ? std::move(part)
                     : part.takeStatus().annotated((folder / rankPartName(rank)).string());
}

Result<CheckpointIndex> joinParts(const fs::path &folder, int numRanks) {
  CheckpointIndex index;
  for (int rank = 0; rank < numRanks; ++rank) {
    Result<CheckpointIndex> part = readPart(folder, rank);
    if (!part.isOk())
      return part.takeStatus();
    index.pieceBytes = part->pieceBytes;
    index.files.merge(part->files);
    for (auto &[name, variable] : part->variables) {
      auto [known, isNew] = index.variables.try_emplace(name, variable);
      if (!isNew)
        known->second.blocks.insert(known->second.blocks.end(), variable.blocks.begin(),
                                    variable.blocks.end());
    }
  }
  return index;
}

Status renamed(const fs::path &from, const fs::path &to) {
  std::error_code error;
  fs::rename(from, to, error);
  return error ? Status::invalid("can't rename ", from.string(), " to ", to.string(), ": ",
                                 error.message())
               : Status();
}

/// Writes index.json into `folder`, which then holds nothing but the files of the checkpoint. Returns its hash.
Result<std::string> writeIndex(const fs::path &folder, const CheckpointIndex &index, int numRanks) {
  std::string text = formatIndex(index);
  if (Status status = writeDurably(folder / indexName, bytesOf(text)); !status.isOk())
    return status;
  for (int rank = 0; rank < numRanks; ++rank) {
    std::error_code ignored; // One that stays does no harm.
    fs::remove(folder / rankPartName(rank), ignored);
  }
  if (Status status = syncFolder(folder); !status.isOk())
    return status;
  return sha256Of(bytesOf(text));
}

/// Moves what has the place of the new checkpoint away: it stays readable until the new one is complete.
Result<std::optional<fs::path>> makePlace(const SaveTarget &target) {
  fs::path path = target.finalPath();
  if (!fs::exists(fs::symlink_status(path)))
    return std::optional<fs::path>();
  fs::path aside = path.string() + ".replaced-" + tokenText(target.token);
  if (Status status = renamed(path, aside); !status.isOk())
    return status;
  return std::optional(std::move(aside));
}

Status writeMarker(const fs::path &folder, const std::string &hash) {
  if (Status status = writeDurably(folder / pendingMarkerName, bytesOf(hash + "\n"));
      !status.isOk())
    return status;
  if (Status status = renamed(folder / pendingMarkerName, folder / markerName); !status.isOk())
    return status;
  return syncFolder(folder);
}

} // namespace

fs::path SaveTarget::partialPath() const {
  return series / (stepName(step) + ".partial-" + tokenText(token));
}

fs::path SaveTarget::finalPath() const { return series / stepName(step); }

Status beginSave(const SaveTarget &target, const StageListener &onStage) {
  std::error_code error;
  fs::create_directories(target.series, error);
  if (error)
    return Status::invalid("can't make the folder ", target.series.string(), ": ", error.message());
  if (Status status = cleanSeries(target.series); !status.isOk())
    return status;
  if (onStage)
    onStage("cleaned");
  fs::create_directory(target.partialPath(), error);
  if (error)
    return Status::invalid("can't make the folder ", target.partialPath().string(), ": ",
                           error.message());
  if (onStage)
    onStage("folder");
  return syncFolder(target.series);
}

Status commitSave(const SaveTarget &target, int numRanks, std::span<const Mesh::Axis> mesh,
                  const Json &training, const StageListener &onStage) {
  auto tell = [&](const char *stage) {
    if (onStage)
      onStage(stage);
  };
  fs::path partial = target.partialPath();
  Result<CheckpointIndex> index = joinParts(partial, numRanks);
  if (!index.isOk())
    return index.takeStatus();
  index->step = target.step;
  index->mesh.assign(mesh.begin(), mesh.end());
  index->training = training;
  if (Status status = checkBlocks(*index); !status.isOk())
    return status;
  Result<std::string> hash = writeIndex(partial, *index, numRanks);
  if (!hash.isOk())
    return hash.takeStatus();
  tell("index");
  Result<std::optional<fs::path>> replaced = makePlace(target);
  if (!replaced.isOk())
    return replaced.takeStatus();
  tell("place");
  if (Status status = renamed(partial, target.finalPath()); !status.isOk())
    return status;
  if (Status status = syncFolder(target.series); !status.isOk())
    return status;
  tell("renamed");
  if (Status status = writeMarker(target.finalPath(), *hash); !status.isOk())
    return status;
  tell("marker");
  if (*replaced)
    if (Status status = removeCheckpoint(**replaced, onStage); !status.isOk())
      return status;
  return target.keep > 0 ? thinSeries(target.series, target.keep, target.step, onStage) : Status();
}

Status discardSave(const SaveTarget &target) {
  std::error_code error;
  bool isThere = fs::exists(target.partialPath(), error);
  return isThere ? removeCheckpoint(target.partialPath(), {}) : Status();
}

} // namespace sheaf::rt::io
