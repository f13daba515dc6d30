// Starts messages and polls until they have arrived: MPI moves data only while
// it is called.
#include "runtime/comm/mpi_exchange.h"

#include "runtime/comm/call.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

namespace sheaf::rt::comm {
namespace {

using Clock = std::chrono::steady_clock;

/// MPI counts bytes with an int.
constexpr size_t maxMessageBytes = size_t(1) << 30;

/// Of messages that join: where they begin to be worth one of their own.
constexpr size_t maxJoinedBytes = size_t(64) << 10;

} // namespace

MpiExchange::~MpiExchange() {
  for (size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == MPI_REQUEST_NULL)
      continue;
    if (!parts[i].isReceive) {
      MPI_Request_free(&requests[i]);
      continue;
    }
    MPI_Cancel(&requests[i]);
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
}

void MpiExchange::add(Message &message, size_t member, int tag, const std::byte *data,
                      size_t bytes) {
  if (bytes == 0)
    return;
  if (message.member != member || message.tag != tag || message.bytes + bytes > maxJoinedBytes)
    start(message);
  message.member = member;
  message.tag = tag;
  for (size_t offset = 0; offset < bytes; offset += maxMessageBytes) {
    if (offset > 0)
      start(message);
    size_t length = std::min(maxMessageBytes, bytes - offset);
    MPI_Get_address(data + offset, &message.addresses.emplace_back());
    message.lengths.push_back(static_cast<int>(length));
    message.bytes += length;
  }
}

void MpiExchange::start(Message &message) {
  auto numRuns = static_cast<int>(message.lengths.size());
  if (numRuns == 1 && problem.isOk())
    start(message, reinterpret_cast<void *>(message.addresses[0]), message.lengths[0], MPI_BYTE);
  if (numRuns > 1 && problem.isOk()) {
    MPI_Datatype type;
    problem = mpiStatus(MPI_Type_create_hindexed(numRuns, message.lengths.data(),
                                                 message.addresses.data(), MPI_BYTE, &type),
                        "MPI_Type_create_hindexed");
    if (problem.isOk()) {
      problem = mpiStatus(MPI_Type_commit(&type), "MPI_Type_commit");
      if (problem.isOk())
        start(message, MPI_BOTTOM, 1, type);
      MPI_Type_free(&type); // Messages under way keep it.
    }
  }
  message.bytes = 0;
  message.addresses.clear();
  message.lengths.clear();
}

void MpiExchange::start(const Message &message, void *data, int count, MPI_Datatype type) {
  parts.push_back({message.member, message.isReceive});
  MPI_Request &request = requests.emplace_back(MPI_REQUEST_NULL);
  int peer = peerOf(message.member);
  problem =
      message.isReceive
          ? mpiStatus(MPI_Irecv(data, count, type, peer, message.tag, comm, &request), "MPI_Irecv")
          : mpiStatus(MPI_Isend(data, count, type, peer, message.tag, comm, &request), "MPI_Isend");
}

Status MpiExchange::test(bool &isDone, bool &hasProgress) {
  finished.resize(requests.size());
  int numFinished = 0;
  int code = MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &numFinished,
                          finished.data(), MPI_STATUSES_IGNORE);
  isDone = numFinished == MPI_UNDEFINED; // There was none left.
  hasProgress = !isDone && numFinished > 0;
  place.beat();
  return mpiStatus(code, "MPI_Testsome");
}

MpiExchange::Roll MpiExchange::callRoll() const {
  auto isLate = [&](size_t member, bool isReceive) {
    for (size_t i = 0; i < requests.size(); ++i)
      if (requests[i] != MPI_REQUEST_NULL && parts[i].member == member &&
          parts[i].isReceive == isReceive)
        return true;
    return false;
  };
  // Who has not sent is late; when all have, who does not receive.
  for (bool isReceive : {true, false}) {
    Roll roll;
    for (size_t member = 0; member < ranks.size(); ++member)
      (isLate(member, isReceive) ? roll.late : roll.waiting).push_back(ranks[member]);
    if (!roll.late.empty())
      return roll;
  }
  return {};
}

Status MpiExchange::lateStatus(const CollectiveSite &site) const {
  Roll roll = callRoll();
  return Status::timedOut(lateText(site, roll.late, roll.waiting, job.timeoutMs(), job.hosts()));
}

void MpiExchange::warnOfWait(const CollectiveSite &site, double seconds) const {
  Roll roll = callRoll();
  if (roll.waiting.empty() || roll.waiting.front() != job.rank())
    return;
  // While output of a host that is cut off is unsent, its launcher does not notice that it is. Where the first rank is,
  // the launcher of all usually is too.
  if (job.hosts()[static_cast<size_t>(job.rank())] != job.hosts()[0])
    return;
  std::fprintf(stderr, "warning: %s has waited %.1f s for %s in %s\n", job.ownName().c_str(),
               seconds, ranksText(roll.late, job.hosts()).c_str(), siteText(site).c_str());
}

Status MpiExchange::finish(const CollectiveSite &site, bool isBusy) {
  constexpr std::chrono::microseconds busyTime(2000), nap(1), longNap(50);
  constexpr int pollsPerCheck = 64;
  // Long before the end, for a launcher that finds out by itself may end the job first, and does not know who waits for
  // whom.
  constexpr int timeoutPerWarning = 10;
  start(receiving);
  start(sending);
  if (!problem.isOk())
    return std::exchange(problem, Status());
  Clock::time_point lastProgress = Clock::now();
  bool hasWarned = false;
  for (int poll = 1;; ++poll) {
    bool isDone = false, hasProgress = false;
    if (Status status = test(isDone, hasProgress); !status.isOk())
      return status;
    if (isDone)
      break;
    if (hasProgress) {
      lastProgress = Clock::now();
      continue;
    }
    if (poll % pollsPerCheck != 0)
      continue;
    if (Status status = job.check(); !status.isOk())
      return status;
    Clock::duration idle = Clock::now() - lastProgress;
    std::chrono::milliseconds timeout(job.timeoutMs());
    if (job.timeoutMs() != 0 && idle > timeout)
      return lateStatus(site);
    if (job.timeoutMs() != 0 && !hasWarned && idle > timeout / timeoutPerWarning) {
      hasWarned = true;
      warnOfWait(site, std::chrono::duration<double>(idle).count());
    }
    // Another thread may have work for this core, which sched_yield is no way to give it: ranks that yield all the time
    // and also wake threads kept every other process from the cores under Linux 6.18, for half a minute and more. The
    // shortest nap takes some 50 us.
    bool isLong = !isBusy && idle > busyTime;
    std::this_thread::sleep_for(isLong ? longNap : nap);
    if (isLong)
      poll = pollsPerCheck - 1;
  }
  requests.clear();
  parts.clear();
  return {};
}

} // namespace sheaf::rt::comm
