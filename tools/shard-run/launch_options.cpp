// Threads, patience and traces.
#include "tools/shard-run/launch_options.h"

#include "runtime/launch/environment.h"
#include "runtime/launch/launcher.h"
#include "runtime/launch/profile.h"

#include <algorithm>
#include <cstdlib>

namespace sheaf::shard_run {

int threadsOfRank(const Options &options, const rt::Executable &executable,
                  const Processes &processes) {
  if (options.threads > 0)
    return options.threads;
  int ranksHere =
      processes.communicator ? rt::launch::localProcesses() : executable.mesh().numRanks();
  return std::max(1, rt::launch::availableCpus() / ranksHere);
}

rt::launch::Patience patienceOf(const Options &options) {
  return {.timeoutMs = options.timeoutS * 1000,
          .onStuck = [](const rt::Status &cause) { std::_Exit(fail(cause)); }};
}

rt::Status writeProfile(const Options &options, const rt::ProgramInfo &program,
                        const rt::Mesh &mesh, const std::vector<rt::launch::RankReport> &ranks) {
  if (options.profile.empty())
    return {};
  std::vector<rt::io::TraceProcess> processes;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    processes.push_back({ranks.size() > 1 ? mesh.rankText(static_cast<int>(rank)) : "",
                         rt::launch::traceOf(program, ranks[rank].run.timings)});
  return rt::io::writeTrace(options.profile, processes);
}

} // namespace sheaf::shard_run
