// Ranks that are processes, started by mpirun or another launcher that MPI
// knows.
#ifndef SHEAF_RUNTIME_COMM_MPI_COMMUNICATOR_H
#define SHEAF_RUNTIME_COMM_MPI_COMMUNICATOR_H

#include "runtime/core/communicator.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sheaf::rt::comm {

/// MPI in this process, from its start to its end; at most one at a time, and
/// none after it.
class MpiProcess {
public:
  /// True when a launcher has made this process one of a job. Without one
  /// nothing of MPI must be used.
  static bool isLaunched();

  /// Starts MPI. `timeoutMs`: how long this, the making of a communicator and,
  /// on the first rank, the end of MPI may take, which wait for all processes;
  /// 0: for ever. Nothing can interrupt MPI there: this process ends with a
  /// message. Errors: MPI can't be called by several threads at once.
  static Result<std::unique_ptr<MpiProcess>> start(int timeoutMs = 60'000);
  ~MpiProcess();
  MpiProcess(const MpiProcess &) = delete;
  MpiProcess &operator=(const MpiProcess &) = delete;

  /// This rank among all processes of the job, which all make communicators in
  /// the same order. It must not outlive MPI. `timeoutMs`: how long a rank
  /// waits for another in a collective; 0: for ever.
  ///
  /// Members send each other their elements and each combines its share in the
  /// order of the members, so results are the same bits as those of threads.
  /// The first failure makes the calls of all groups of all ranks fail with its
  /// reason; the job must end then: `abort` does that.
  Result<std::unique_ptr<Communicator>> makeCommunicator(int timeoutMs = 60'000);

  /// The name of the host of each rank.
  std::span<const std::string> hosts() const { return hostNames; }

private:
  explicit MpiProcess(int timeoutMs) : timeoutMs(timeoutMs) {}

  Status learnHosts();

  const int timeoutMs;
  std::vector<std::string> hostNames;
};

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_MPI_COMMUNICATOR_H
