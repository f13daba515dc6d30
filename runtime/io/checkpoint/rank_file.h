// The file of one rank in a checkpoint that is being written.
#ifndef SHEAF_RUNTIME_IO_CHECKPOINT_RANK_FILE_H
#define SHEAF_RUNTIME_IO_CHECKPOINT_RANK_FILE_H

#include "runtime/io/checkpoint/index.h"
#include "runtime/io/checkpoint/snapshot.h"

#include <filesystem>

namespace sheaf::rt::io {

/// Told what has just been done, for tests that end the process there.
using StageListener = std::function<void(std::string_view stage)>;

/// "rank-00003.safetensors".
std::string rankFileName(int rank);
/// "rank-00003.part.json": what the index is to say of the rank's file. Gone once the index is written.
std::string rankPartName(int rank);

/// Writes both for the rank of `snapshot`, flushed to the disk. `onStage` may be empty.
Status writeRankFile(const std::filesystem::path &folder, const Snapshot &snapshot,
                     int64_t pieceBytes, const StageListener &onStage);

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_CHECKPOINT_RANK_FILE_H
