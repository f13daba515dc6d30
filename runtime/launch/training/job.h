// Trains on all ranks of an executable, as threads of this process or as one of several processes.
#ifndef SHEAF_RUNTIME_LAUNCH_TRAINING_JOB_H
#define SHEAF_RUNTIME_LAUNCH_TRAINING_JOB_H

#include "runtime/launch/job.h"
#include "runtime/launch/training/run.h"

namespace sheaf::rt::launch {

/// What came of a training job.
struct TrainingJobReport {
  TrainingReport training;       ///< of rank 0
  std::vector<RankReport> ranks; ///< in their order
};

/// Trains on a rank per place of the mesh, in threads of this process. Errors: the first failure of a rank.
Result<TrainingJobReport> trainThreads(const ModelFiles &files, const TrainingRequest &request,
                                       const Patience &patience);

/// Trains on the rank of this process; `agreement` is that of all processes. Errors: what failed on any rank before the
/// first step; after that `communicator` is told.
Result<TrainingJobReport> trainProcess(const ModelFiles &files, const TrainingRequest &request,
                                       Communicator &communicator, Agreement &agreement);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_TRAINING_JOB_H
