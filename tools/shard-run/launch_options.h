// What options mean for the launch of ranks, whatever they run.
#ifndef SHEAF_TOOLS_SHARD_RUN_LAUNCH_OPTIONS_H
#define SHEAF_TOOLS_SHARD_RUN_LAUNCH_OPTIONS_H

#include "runtime/launch/job.h"
#include "tools/shard-run/failure.h"
#include "tools/shard-run/options.h"

namespace sheaf::shard_run {

/// Threads of each rank: those asked for, else its share of the CPUs.
int threadsOfRank(const Options &options, const rt::Executable &executable,
                  const Processes &processes);

/// For ranks that are threads: one that is stuck ends the process.
rt::launch::Patience patienceOf(const Options &options);

/// Writes the trace that `options` ask for, if they do: one process of it per rank, named by its place.
rt::Status writeProfile(const Options &options, const rt::ProgramInfo &program,
                        const rt::Mesh &mesh, const std::vector<rt::launch::RankReport> &ranks);

} // namespace sheaf::shard_run

#endif // SHEAF_TOOLS_SHARD_RUN_LAUNCH_OPTIONS_H
