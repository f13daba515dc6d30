// Ranks as threads of this process: started together, ended together.
#ifndef SHEAF_RUNTIME_LAUNCH_RANK_TEAM_H
#define SHEAF_RUNTIME_LAUNCH_RANK_TEAM_H

#include "runtime/core/status.h"

#include <functional>

namespace sheaf::rt::launch {

/// What each rank does in its thread. The first failure that is not of another rank (Aborted) is the cause: those that
/// follow are taken for its echoes.
struct RankTeam {
  int numRanks = 1;
  int threadsPerRank = 1;
  std::function<Status(int rank)> body;
  /// Called once, in the thread of the rank that failed first, after its failure has been noted: to stop the others.
  std::function<void(int rank, const Status &cause)> onFailure;
  /// Called when a rank has not ended `graceMs` after the first failure. It must not return: the rank's thread, which
  /// nobody can stop, still uses what its body does.
  std::function<void(const Status &cause)> onStuck;
  int graceMs = 5000;

  /// Runs `body` for every rank and returns the first failure. A team of one has no thread. When there are CPUs for
  /// all, each rank's thread and those that it starts keep to CPUs of their own.
  Status run() const;
};

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_RANK_TEAM_H
