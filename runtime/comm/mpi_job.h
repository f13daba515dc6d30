// The job of processes that a launcher started, as MPI knows it, and its first
// failure.
#ifndef SHEAF_RUNTIME_COMM_MPI_JOB_H
#define SHEAF_RUNTIME_COMM_MPI_JOB_H

#include "runtime/comm/exit_code.h"
#include "runtime/comm/stall_watch.h"
#include "runtime/core/status.h"

#define OMPI_SKIP_MPICXX // MPI's C interface only.
#include <mpi.h>

#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace sheaf::rt::comm {

/// What the groups of one communicator share. All MPI calls report errors by
/// their return value.
class MpiJob {
public:
  /// A job over the processes of MPI_COMM_WORLD, which all make it at once. `hosts`: of each process; they outlive it.
  static Result<std::unique_ptr<MpiJob>> create(int timeoutMs, std::span<const std::string> hosts);
  ~MpiJob();
  MpiJob(const MpiJob &) = delete;
  MpiJob &operator=(const MpiJob &) = delete;

  int rank() const { return ownRank; }
  int size() const { return numRanks; }
  int timeoutMs() const { return timeout; }
  MPI_Comm comm() const { return control; }
  /// Where each rank runs.
  std::span<const std::string> hosts() const { return hostNames; }
  /// "rank 3 (host a)".
  std::string ownName() const;
  /// Ends this process when MPI keeps a thread much longer than the timeout. MPI has no limit of its own: where ranks
  /// share memory it waits for ever for one that was stopped in the middle of a write.
  StallWatch &watch() { return stallWatch; }

  /// Fails when this process or one that told it has failed: with the first
  /// reason it heard.
  Status check();

  /// Frees `comm`, unless the job has failed: then messages to it may still be under way, which a later communicator
  /// of the same number would receive. It is done at `place`.
  void free(MPI_Comm comm, StallWatch::Place &place);

  /// Notes that this process failed and tells all others, unless that is known
  /// already.
  void fail(std::string_view reason);

private:
  MpiJob(int timeoutMs, std::span<const std::string> hosts);

  const int timeout;
  const std::span<const std::string> hostNames;
  MPI_Comm control = MPI_COMM_NULL;
  int ownRank = 0;
  int numRanks = 1;
  std::mutex mutex;
  std::string failure;               ///< empty while there is none; then it stays, for it is
                                     ///< being sent
  std::vector<MPI_Request> tellings; ///< of `failure`
  StallWatch stallWatch;
};

/// The failure that an MPI function's result `code` stands for.
Status mpiStatus(int code, const char *function);

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_MPI_JOB_H
