// A rank's connection to the hub of its job.
#ifndef SHEAF_RUNTIME_COMM_TCP_JOB_H
#define SHEAF_RUNTIME_COMM_TCP_JOB_H

#include "runtime/comm/tcp_meeting.h"
#include "runtime/comm/tcp_place.h"
#include "runtime/comm/tcp_socket.h"
#include "runtime/core/communicator.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace sheaf::rt::comm {

/// What the groups of one communicator share. Any thread may call.
class TcpJob {
public:
  /// Called once, by a thread of the job, when it has failed.
  using FailureListener = std::function<void(const TcpJob &, const JobFailure &)>;

  /// Connects to the hub of `place` and waits until all ranks have. `timeoutMs`: how long that may take, and how long
  /// a rank waits for another later; 0: for ever. Errors: rank 0 can't be reached, ranks do not come or do not fit (all
  /// of them are told), the port is that of something else.
  static Result<std::unique_ptr<TcpJob>> join(const TcpPlace &place, int timeoutMs,
                                              FailureListener onFailure);
  /// Says farewell.
  ~TcpJob();
  TcpJob(const TcpJob &) = delete;
  TcpJob &operator=(const TcpJob &) = delete;

  int rank() const { return place.rank; }
  int size() const { return place.size; }
  int timeoutMs() const { return timeout; }
  /// Where each rank runs.
  std::span<const std::string> hosts() const { return hostNames; }
  /// "rank 3 (host a)".
  std::string ownName() const;

  /// What each member of the group gives, when all have. Errors: some did not come in time, and are named; the job has
  /// failed.
  Result<std::vector<Bytes>> gather(const TcpGroupKey &group, const CollectiveSite &site,
                                    std::span<const std::byte> own);

  /// Tells all ranks that this one has failed, unless the job has failed already: the first failure counts. Returns
  /// when it is known which one that is.
  JobFailure fail(const Status &reason);
  std::optional<JobFailure> failure() const;
  /// That failure, as a rank fails that is told of it.
  Status check() const;

private:
  /// What this rank waits for from a meeting.
  struct Waiting {
    std::optional<Bytes> parts, roll;
  };

  TcpJob(TcpPlace place, int timeoutMs, FileDescriptor socket, FailureListener onFailure)
      : place(std::move(place)), timeout(timeoutMs), socket(std::move(socket)),
        onFailure(std::move(onFailure)) {}

  Status greet();
  void listen();
  void handle(Frame frame);
  void note(JobFailure heard);
  bool send(FrameKind kind, uint64_t ticket, std::span<const std::byte> body);
  Status await(std::unique_lock<std::mutex> &lock, uint64_t ticket, const TcpGroupKey &group,
               const CollectiveSite &site);
  std::string whyLate(const Waiting &waiting, const TcpGroupKey &group,
                      const CollectiveSite &site) const;

  const TcpPlace place;
  const int timeout;
  const FileDescriptor socket;
  const FailureListener onFailure;
  FrameBuffer in = FrameBuffer(UINT64_MAX);
  std::vector<std::string> hostNames;
  std::mutex sending;
  mutable std::mutex mutex; ///< of what follows
  std::condition_variable changed;
  std::map<uint64_t, Waiting> waiting; ///< by ticket
  uint64_t lastTicket = 0;
  std::optional<JobFailure> heard;
  bool isOver = false;
  std::thread listener;
};

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_TCP_JOB_H
