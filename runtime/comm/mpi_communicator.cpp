// Starts MPI and makes processes ranks.
#include "runtime/comm/mpi_communicator.h"

#include "runtime/comm/call.h"
#include "runtime/comm/deadline.h"
#include "runtime/comm/mpi_group.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

namespace sheaf::rt::comm {
namespace {

/// What this process is called before MPI knows: "rank 3 (host a)".
std::string nameByLauncher() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::string text = "a rank";
  for (const char *variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (const char *rank = std::getenv(variable)) {
      text = std::string("rank ") + rank;
      break;
    }
  return text + " (host " + host.data() + ")";
}

std::string tooSlow(const std::string &name, const char *what, int timeoutMs) {
  return name + ": " + what + " took longer than " + std::to_string(timeoutMs / 1000) +
         " s; a process did not come: it may be stopped, or its host out of reach";
}

class MpiCommunicator final : public Communicator {
public:
  explicit MpiCommunicator(std::unique_ptr<MpiJob> job) : job(std::move(job)) {}

  int rank() const override { return job->rank(); }
  int size() const override { return job->size(); }
  int timeoutMs() const override { return job->timeoutMs(); }

  Result<std::unique_ptr<Group>> makeGroup(std::span<const int> ranks, uint32_t) override {
    if (Status status = checkMembers(ranks, rank(), size()); !status.isOk())
      return status;
    return makeMpiGroup(*job, {ranks.begin(), ranks.end()});
  }

  void abort(const Status &reason) override {
    // The rank that failed first ends this process too; its words are the ones to be read.
    constexpr std::chrono::seconds echoPatience(2);
    if (reason.code() == StatusCode::aborted)
      std::this_thread::sleep_for(echoPatience);
    int exitCode = reason.code() == StatusCode::timedOut ? timedOutExitCode : failedExitCode;
    std::string text = job->ownName() + " failed: " + std::string(reason.text());
    std::fprintf(stderr, "error: %s\n", text.c_str());
    std::fflush(stderr);
    // MPI may never return, when another host is out of reach, or return, when the launcher is gone.
    constexpr int abortTimeoutMs = 5000;
    Deadline deadline(abortTimeoutMs, exitCode, "");
    job->fail(text);
    MPI_Abort(job->comm(), exitCode);
    std::_Exit(exitCode);
  }

  Status failure() const override { return {}; } // What a rank tells ends this process.

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

Result<std::unique_ptr<MpiProcess>> MpiProcess::start(int timeoutMs) {
  Deadline deadline(timeoutMs, timedOutExitCode,
                    tooSlow(nameByLauncher(), "the start of MPI", timeoutMs));
  int provided = MPI_THREAD_SINGLE;
  int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  if (Status status = mpiStatus(code, "MPI_Init_thread"); !status.isOk())
    return status;
  if (provided < MPI_THREAD_MULTIPLE) {
    MPI_Finalize();
    return Status::invalid("this MPI can't be called by several threads at once "
                           "(MPI_THREAD_MULTIPLE); install one that can");
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::unique_ptr<MpiProcess> process(new MpiProcess(timeoutMs));
  if (Status status = process->learnHosts(); !status.isOk())
    return status;
  return process;
}

Status MpiProcess::learnHosts() {
  using Name = std::array<char, MPI_MAX_PROCESSOR_NAME>;
  Name own{};
  int length = 0, numRanks = 0;
  int code = MPI_Get_processor_name(own.data(), &length);
  if (Status status = mpiStatus(code, "MPI_Get_processor_name"); !status.isOk())
    return status;
  MPI_Comm_size(MPI_COMM_WORLD, &numRanks);
  std::vector<Name> names(static_cast<size_t>(numRanks));
  constexpr int bytes = MPI_MAX_PROCESSOR_NAME;
  code = MPI_Allgather(own.data(), bytes, MPI_CHAR, names.data(), bytes, MPI_CHAR, MPI_COMM_WORLD);
  if (Status status = mpiStatus(code, "MPI_Allgather"); !status.isOk())
    return status;
  for (const Name &name : names)
    hostNames.emplace_back(name.data(), strnlen(name.data(), name.size()));
  return {};
}

MpiProcess::~MpiProcess() {
  // The first rank may come last: it writes results, which takes as long as it takes. Then all others are here.
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Deadline deadline(rank == 0 ? timeoutMs : 0, timedOutExitCode,
                    tooSlow(nameByLauncher(), "the end of MPI", timeoutMs));
  MPI_Finalize();
}

Result<std::unique_ptr<Communicator>> MpiProcess::makeCommunicator(int timeoutMs) {
  Deadline deadline(this->timeoutMs, timedOutExitCode,
                    tooSlow(nameByLauncher(), "the making of a communicator", this->timeoutMs));
  Result<std::unique_ptr<MpiJob>> job = MpiJob::create(timeoutMs, hostNames);
  if (!job.isOk())
    return job.takeStatus();
  return std::unique_ptr<Communicator>(new MpiCommunicator(std::move(*job)));
}

} // namespace sheaf::rt::comm
