// Keeps the first failure of a job and spreads the word.
#include "runtime/comm/mpi_job.h"

#include "runtime/comm/call.h"

#include <cstdio>
#include <cstdlib>

namespace sheaf::rt::comm {
namespace {

constexpr int failureTag = 1;

/// How long MPI may keep a thread. Ranks that are not stuck themselves tell more: they come first.
int stallLimitMs(int timeoutMs) {
  constexpr int graceMs = 5000;
  return timeoutMs == 0 ? 0 : timeoutMs + graceMs;
}

} // namespace

Status mpiStatus(int code, const char *function) {
  if (code == MPI_SUCCESS)
    return {};
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return Status::failed(function, ": ", text);
}

Result<std::unique_ptr<MpiJob>> MpiJob::create(int timeoutMs, std::span<const std::string> hosts) {
  std::unique_ptr<MpiJob> job(new MpiJob(timeoutMs, hosts));
  // The duplicate takes over how errors are reported.
  if (Status status = mpiStatus(MPI_Comm_dup(MPI_COMM_WORLD, &job->control), "MPI_Comm_dup");
      !status.isOk())
    return status;
  MPI_Comm_rank(job->control, &job->ownRank);
  MPI_Comm_size(job->control, &job->numRanks);
  return job;
}

MpiJob::MpiJob(int timeoutMs, std::span<const std::string> hosts)
    : timeout(timeoutMs), hostNames(hosts),
      stallWatch(stallLimitMs(timeoutMs), [this](const CollectiveSite &site) {
        std::fprintf(stderr,
                     "error: %s failed: %s: MPI did not return for %d s; another rank may have "
                     "stopped while it sent\n",
                     ownName().c_str(), siteText(site).c_str(), stallLimitMs(timeout) / 1000);
        std::_Exit(timedOutExitCode);
      }) {}

std::string MpiJob::ownName() const { return ranksText(std::span(&ownRank, 1), hostNames); }

MpiJob::~MpiJob() {
  for (MPI_Request &request : tellings)
    if (request != MPI_REQUEST_NULL)
      MPI_Request_free(&request);
  StallWatch::Place place(stallWatch);
  free(control, place);
}

void MpiJob::free(MPI_Comm comm, StallWatch::Place &place) {
  std::lock_guard lock(mutex);
  if (comm == MPI_COMM_NULL || !failure.empty())
    return;
  CollectiveSite site{"freeing a communicator", ""};
  StallWatch::Visit visit(place, site);
  MPI_Comm_free(&comm);
}

Status MpiJob::check() {
  std::lock_guard lock(mutex);
  if (!failure.empty())
    return Status::aborted(failure);
  int hasMessage = 0;
  MPI_Message message;
  MPI_Status envelope;
  int code = MPI_Improbe(MPI_ANY_SOURCE, failureTag, control, &hasMessage, &message, &envelope);
  if (Status status = mpiStatus(code, "MPI_Improbe"); !status.isOk() || !hasMessage)
    return status;
  int bytes = 0;
  MPI_Get_count(&envelope, MPI_CHAR, &bytes);
  std::string reason(static_cast<size_t>(bytes), ' ');
  code = MPI_Mrecv(reason.data(), bytes, MPI_CHAR, &message, MPI_STATUS_IGNORE);
  if (Status status = mpiStatus(code, "MPI_Mrecv"); !status.isOk())
    return status;
  failure = std::move(reason);
  return Status::aborted(failure);
}

void MpiJob::fail(std::string_view reason) {
  std::lock_guard lock(mutex);
  if (!failure.empty())
    return;
  failure = reason;
  for (int other = 0; other < numRanks; ++other) {
    if (other == ownRank)
      continue;
    // Not waited for: the message is short, and the others may be gone.
    MPI_Request &request = tellings.emplace_back(MPI_REQUEST_NULL);
    MPI_Isend(failure.data(), static_cast<int>(failure.size()), MPI_CHAR, other, failureTag,
              control, &request);
  }
}

} // namespace sheaf::rt::comm
