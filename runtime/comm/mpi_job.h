// The job of processes that a launcher started, as MPI knows it, and its first
// failure.
#ifndef SHEAF_RUNTIME_COMM_MPI_JOB_H
#define SHEAF_RUNTIME_COMM_MPI_JOB_H

#include "runtime/core/status.h"

#define OMPI_SKIP_MPICXX // MPI's C interface only.
#include <mpi.h>

#include <mutex>
#include <string>
#include <vector>

namespace sheaf::rt::comm {

/// What the groups of one communicator share. All MPI calls report errors by
/// their return value.
class MpiJob {
public:
  /// A job over the processes of MPI_COMM_WORLD, which all make it at once.
  static Result<std::unique_ptr<MpiJob>> create(int timeoutMs);
  ~MpiJob();
  MpiJob(const MpiJob &) = delete;
  MpiJob &operator=(const MpiJob &) = delete;

  int rank() const { return ownRank; }
  int size() const { return numRanks; }
  int timeoutMs() const { return timeout; }
  MPI_Comm comm() const { return control; }

  /// Fails when this process or one that told it has failed: with the first
  /// reason it heard.
  Status check();

  /// Frees `comm`, unless the job has failed: then messages to it may still be under way, which a later communicator
  /// of the same number would receive.
  void free(MPI_Comm comm);

  /// Notes that this process failed and tells all others, unless that is known
  /// already.
  void fail(std::string_view reason);

private:
  explicit MpiJob(int timeoutMs) : timeout(timeoutMs) {}

  const int timeout;
  MPI_Comm control = MPI_COMM_NULL;
  int ownRank = 0;
  int numRanks = 1;
  std::mutex mutex;
  std::string failure;               ///< empty while there is none; then it stays, for it is
                                     ///< being sent
  std::vector<MPI_Request> tellings; ///< of `failure`
};

/// The failure that an MPI function's result `code` stands for.
Status mpiStatus(int code, const char *function);

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_MPI_JOB_H
