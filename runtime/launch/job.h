// Runs all ranks of an executable, as threads of this process or as one of several processes.
#ifndef SHEAF_RUNTIME_LAUNCH_JOB_H
#define SHEAF_RUNTIME_LAUNCH_JOB_H

#include "runtime/launch/outputs.h"
#include "runtime/launch/rank_run.h"

namespace sheaf::rt::launch {

/// What came of a job.
struct JobReport {
  std::vector<RankReport> ranks; ///< in their order
  GlobalOutputs outputs;
};

/// What is done about ranks that do not come.
struct Patience {
  int timeoutMs = 60'000; ///< how long a rank waits for another in a collective; 0: for ever
  /// Called when the job has failed and a rank still does not end. Must not return: see RankTeam.
  std::function<void(const Status &cause)> onStuck;
};

/// Of all ranks, from this rank's: all have run and timed equally often.
Result<std::vector<RankReport>> gatherReports(const RankReport &own, Agreement &agreement);

/// Runs a rank per place of the mesh, in threads of this process. Errors: the first failure of a rank.
Result<JobReport> runThreads(const ModelFiles &files, const JobRequest &request,
                             const Patience &patience);

/// Runs the rank of this process; `agreement` is that of all processes. The report is that of all ranks, but only rank
/// 0 has the outputs that are cut. Errors: what failed on any rank before the run; after that `communicator` is told.
Result<JobReport> runProcess(const ModelFiles &files, const JobRequest &request,
                             Communicator &communicator, Agreement &agreement);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_JOB_H
