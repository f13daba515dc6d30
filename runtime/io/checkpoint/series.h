// The checkpoints of one run: the folders of a folder.
#ifndef SHEAF_RUNTIME_IO_CHECKPOINT_SERIES_H
#define SHEAF_RUNTIME_IO_CHECKPOINT_SERIES_H

#include "runtime/core/status.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

namespace sheaf::rt::io {

/// Names of the files of a checkpoint. The marker comes last, and holds the hash of the index.
inline constexpr const char *indexName = "index.json", *markerName = "complete",
                            *pendingMarkerName = "complete.new";

/// What the name of a folder says: "step-000123", or that with ".partial-..." (being written) or ".replaced-..."
/// (about to be replaced by another of its step) behind it.
struct SeriesEntry {
  enum class Kind { normal, partial, replaced } kind = Kind::normal;
  int64_t step = 0;
  std::filesystem::path path;
  bool hasMarker = false;

  bool isComplete() const { return hasMarker && kind != Kind::partial; }
};

/// "step-000123".
std::string stepName(int64_t step);

/// All of them in `folder`, by their steps; what has other names, and links, are none. None when there is no such
/// folder. Errors: it can't be read.
Result<std::vector<SeriesEntry>> readSeries(const std::filesystem::path &folder);

/// The complete checkpoint of the highest step; of two of that step the new one. None when there is none.
Result<std::optional<std::filesystem::path>> latestCheckpoint(const std::filesystem::path &folder);

/// Removes what saves that did not come to their end have left, and puts what they were about to replace back.
/// Only files that a save writes are removed: a folder with others stays, without those.
Status cleanSeries(const std::filesystem::path &folder);

/// Removes all complete checkpoints but `keep` (at least 1): that of `newStep` and those of the highest steps.
/// `onStage` may be empty.
Status thinSeries(const std::filesystem::path &folder, int keep, int64_t newStep,
                  const std::function<void(std::string_view)> &onStage);

/// Removes the checkpoint in `path`, marker first, so that it is never taken for a whole one.
Status removeCheckpoint(const std::filesystem::path &path,
                        const std::function<void(std::string_view)> &onStage);

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_CHECKPOINT_SERIES_H
