// Keeps the first failure of a job and spreads the word.
#include "runtime/comm/mpi_job.h"

namespace sheaf::rt::comm {
namespace {

constexpr int failureTag = 1;

} // namespace

Status mpiStatus(int code, const char *function) {
  if (code == MPI_SUCCESS)
    return {};
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return Status::failed(function, ": ", text);
}

Result<std::unique_ptr<MpiJob>> MpiJob::create(int timeoutMs) {
  std::unique_ptr<MpiJob> job(new MpiJob(timeoutMs));
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  // The duplicate takes over how errors are reported.
  if (Status status = mpiStatus(MPI_Comm_dup(MPI_COMM_WORLD, &job->control), "MPI_Comm_dup");
      !status.isOk())
    return status;
  MPI_Comm_rank(job->control, &job->ownRank);
  MPI_Comm_size(job->control, &job->numRanks);
  return job;
}

MpiJob::~MpiJob() {
  for (MPI_Request &request : tellings)
    if (request != MPI_REQUEST_NULL)
      MPI_Request_free(&request);
  free(control);
}

void MpiJob::free(MPI_Comm comm) {
  std::lock_guard lock(mutex);
  if (comm != MPI_COMM_NULL && failure.empty())
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
