// Starts MPI and makes processes ranks.
#include "runtime/comm/mpi_communicator.h"

#include "runtime/comm/call.h"
#include "runtime/comm/mpi_group.h"

#include <cstdio>
#include <cstdlib>

namespace sheaf::rt::comm {
namespace {

/// What shard-run ends with when a rank failed, and when one did not come in time.
constexpr int failedExitCode = 3, timedOutExitCode = 4;

class MpiCommunicator final : public Communicator {
public:
  explicit MpiCommunicator(std::unique_ptr<MpiJob> job) : job(std::move(job)) {}

  int rank() const override { return job->rank(); }
  int size() const override { return job->size(); }

  Result<std::unique_ptr<Group>> makeGroup(std::span<const int> ranks) override {
    if (Status status = checkMembers(ranks, rank(), size()); !status.isOk())
      return status;
    return makeMpiGroup(*job, {ranks.begin(), ranks.end()});
  }

  void abort(const Status &reason) override {
    int exitCode = reason.code() == StatusCode::timedOut ? timedOutExitCode : failedExitCode;
    std::string text = "rank " + std::to_string(rank()) + " failed: " + std::string(reason.text());
    std::fprintf(stderr, "error: %s\n", text.c_str());
    std::fflush(stderr);
    job->fail(text);
    MPI_Abort(job->comm(), exitCode);
    std::_Exit(exitCode); // MPI may return when the launcher is gone.
  }

private:
  std::unique_ptr<MpiJob> job;
};

} // namespace

bool MpiProcess::isLaunched() {
  for (const char *name : {"OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE", "PMI_SIZE"})
    if (std::getenv(name))
      return true;
  return false;
}

Result<std::unique_ptr<MpiProcess>> MpiProcess::start() {
  int provided = MPI_THREAD_SINGLE;
  int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  if (Status status = mpiStatus(code, "MPI_Init_thread"); !status.isOk())
    return status;
  if (provided < MPI_THREAD_MULTIPLE) {
    MPI_Finalize();
    return Status::invalid("this MPI can't be called by several threads at once "
                           "(MPI_THREAD_MULTIPLE); install one that can");
  }
  return std::unique_ptr<MpiProcess>(new MpiProcess);
}

MpiProcess::~MpiProcess() { MPI_Finalize(); }

Result<std::unique_ptr<Communicator>> MpiProcess::makeCommunicator(int timeoutMs) {
  Result<std::unique_ptr<MpiJob>> job = MpiJob::create(timeoutMs);
  if (!job.isOk())
    return job.takeStatus();
  return std::unique_ptr<Communicator>(new MpiCommunicator(std::move(*job)));
}

} // namespace sheaf::rt::comm
