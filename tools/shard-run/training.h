// Training by shard-run.
#ifndef SHEAF_TOOLS_SHARD_RUN_TRAINING_H
#define SHEAF_TOOLS_SHARD_RUN_TRAINING_H

#include "tools/shard-run/failure.h"
#include "tools/shard-run/options.h"

namespace sheaf::shard_run {

/// Trains as `options` say, on the processes of the job; returns the exit code.
int train(const Options &options, Processes &processes);

} // namespace sheaf::shard_run

#endif // SHEAF_TOOLS_SHARD_RUN_TRAINING_H
