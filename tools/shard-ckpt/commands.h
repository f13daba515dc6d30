// What shard-ckpt can do. Each prints its result; each error is one that the user can mend.
#ifndef SHEAF_TOOLS_SHARD_CKPT_COMMANDS_H
#define SHEAF_TOOLS_SHARD_CKPT_COMMANDS_H

#include "runtime/core/status.h"
#include "tools/shard-ckpt/options.h"

#include <ostream>

namespace sheaf::shard_ckpt {

rt::Status listSeries(const Options &options, std::ostream &out);
rt::Status showCheckpoint(const Options &options, std::ostream &out);
rt::Status verifyCheckpoint(const Options &options, std::ostream &out);
/// Writes the file whole or not at all.
rt::Status mergeCheckpoint(const Options &options, std::ostream &out);
/// Writes the model and its data, each whole or not at all.
rt::Status writeOnnx(const Options &options, std::ostream &out);
/// Writes all files or none.
rt::Status writeMegatron(const Options &options, std::ostream &out);
/// Writes the file whole or not at all.
rt::Status readMegatron(const Options &options, std::ostream &out);
/// Writes the parts of all ranks of the executable.
rt::Status splitTensors(const Options &options, std::ostream &out);
/// Whether they are equal to the bit.
rt::Result<bool> diffTensors(const Options &options, std::ostream &out);

} // namespace sheaf::shard_ckpt

#endif // SHEAF_TOOLS_SHARD_CKPT_COMMANDS_H
