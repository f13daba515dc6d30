// Makes communicators of NCCL's and waits for what they do.
#include "runtime/cuda/nccl_comm.h"

#include <thread>
#include <utility>

namespace sheaf::rt::cuda {
namespace {

ncclConfig_t nonBlocking() {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  return config;
}

} // namespace

Status Patience::wait() {
  // Ranks of one machine must not take each other's CPUs while they wait.
  constexpr int numShortWaits = 200;
  if (++numWaits <= numShortWaits)
    std::this_thread::yield();
  else
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  if (Status status = processes->failure(); !status.isOk())
    return status;
  auto waited = std::chrono::steady_clock::now() - start;
  int limitMs = processes->timeoutMs();
  if (limitMs > 0 && waited > std::chrono::milliseconds(limitMs))
    return Status::timedOut("other ranks did not come within ", limitMs / 1000, " s");
  return {};
}

Result<NcclComm> NcclComm::create(const ncclUniqueId &id, Communicator &processes) {
  ncclConfig_t config = nonBlocking();
  ncclComm_t handle = nullptr;
  ncclResult_t result =
      nccl().ncclCommInitRankConfig(&handle, processes.size(), id, processes.rank(), &config);
  NcclComm comm(handle, processes);
  if (Status status = comm.settle(result, "ncclCommInitRankConfig"); !status.isOk())
    return status;
  return comm;
}

Result<NcclComm> NcclComm::split(int color, int place) {
  ncclConfig_t config = nonBlocking();
  config.splitShare = 1; // The parts use the resources of the whole.
  ncclComm_t part = nullptr;
  ncclResult_t result = nccl().ncclCommSplit(handle, color, place, &part, &config);
  if (Status status = settle(result, "ncclCommSplit"); !status.isOk())
    return status;
  NcclComm comm(part, *processes);
  if (Status status = comm.settle(ncclSuccess, "ncclCommSplit"); !status.isOk())
    return status;
  return comm;
}

NcclComm::NcclComm(NcclComm &&other) noexcept
    : handle(std::exchange(other.handle, nullptr)), processes(other.processes),
      registrations(std::move(other.registrations)) {}

NcclComm &NcclComm::operator=(NcclComm &&other) noexcept {
  std::swap(handle, other.handle);
  std::swap(processes, other.processes);
  std::swap(registrations, other.registrations);
  return *this;
}

NcclComm::~NcclComm() {
  if (handle)
    registrations->clear();
  abort();
}

void NcclComm::abort() {
  ncclComm_t comm = std::exchange(handle, nullptr);
  if (!comm)
    return;
  registrations->forget();
  nccl().ncclCommAbort(comm);
}

Status NcclComm::statusOf(ncclResult_t result, const char *function) const {
  if (result == ncclSuccess)
    return {};
  // What NCCL says after another rank has failed comes of that.
  if (Status status = processes->failure(); !status.isOk())
    return std::move(status).annotated(function);
  const char *detail = nccl().ncclGetLastError(handle);
  return Status::failed(function, ": ", nccl().ncclGetErrorString(result),
                        detail && *detail ? ": " : "", detail ? detail : "");
}

Status NcclComm::settle(ncclResult_t result, const char *function) const {
  if (result != ncclSuccess && result != ncclInProgress)
    return statusOf(result, function);
  Patience patience(*processes);
  ncclResult_t state = ncclInProgress;
  for (;;) {
    if (ncclResult_t asked = nccl().ncclCommGetAsyncError(handle, &state); asked != ncclSuccess)
      return statusOf(asked, function);
    if (state != ncclInProgress)
      return statusOf(state, function);
    if (Status status = patience.wait(); !status.isOk())
      return std::move(status).annotated(function);
  }
}

Status NcclComm::check() const {
  ncclResult_t state = ncclSuccess;
  ncclResult_t asked = nccl().ncclCommGetAsyncError(handle, &state);
  if (asked != ncclSuccess)
    return statusOf(asked, "ncclCommGetAsyncError");
  return state == ncclInProgress ? Status() : statusOf(state, "a collective");
}

} // namespace sheaf::rt::cuda
