// Where the ranks of a job that knows no MPI meet: in the process of rank 0.
#ifndef SHEAF_RUNTIME_COMM_TCP_HUB_H
#define SHEAF_RUNTIME_COMM_TCP_HUB_H

#include "runtime/comm/tcp_meeting.h"
#include "runtime/comm/tcp_peer.h"
#include "runtime/comm/tcp_place.h"

#include <atomic>
#include <list>
#include <thread>

namespace sheaf::rt::comm {

/// A thread to which every rank has a connection, rank 0 too. It waits until all have come, brings together what
/// members of groups give, and tells all of the first failure: one that a rank tells of, or a rank that ends without a
/// farewell. Nothing that a peer sends is trusted.
class TcpHub {
public:
  /// Listens for the ranks of `place`. `timeoutMs`: how long they may take to come, and to leave at the end; 0: for
  /// ever. Errors: the port is taken.
  static Result<std::unique_ptr<TcpHub>> start(const TcpPlace &place, int timeoutMs);
  /// Waits until all ranks have left.
  ~TcpHub();
  TcpHub(const TcpHub &) = delete;
  TcpHub &operator=(const TcpHub &) = delete;

private:
  using Clock = std::chrono::steady_clock;

  TcpHub(const TcpPlace &place, int timeoutMs, FileDescriptor listener, FileDescriptor wakeReader,
         FileDescriptor wakeWriter);

  void run();
  bool isDone() const;
  void awaitSomething();
  void acceptPeers();
  void serve(TcpPeer &peer);
  void handle(TcpPeer &peer, const Frame &frame);

  void admit(TcpPeer &peer, const Frame &hello);
  void welcomeAll();
  void checkStart();
  /// The job can't start.
  void refuseAll(const std::string &reason);

  void takePart(TcpPeer &peer, const Frame &frame);
  void answerQuestion(TcpPeer &peer, uint64_t ticket);
  /// A peer that breaks the rules.
  void dismiss(TcpPeer &peer, std::string_view what);
  void noteEnd(TcpPeer &peer);
  void fail(const JobFailure &reason);
  /// Tells rank 0 of a failure once all others have heard of it: its process may end then, and with it this thread.
  void tellFirst();

  std::string nameOf(const TcpPeer &peer) const;
  bool haveAllCome() const { return numCome == place.size; }

  const TcpPlace place;
  const int timeoutMs;
  FileDescriptor listener, wakeReader, wakeWriter;
  std::list<TcpPeer> peers;
  std::vector<TcpPeer *> peerOf; ///< by rank; null: it has not come, or has ended
  std::vector<std::string> hosts;
  int numCome = 0;
  TcpMeetings meetings;
  std::optional<JobFailure> failure;
  std::string refusal; ///< empty while the job may start
  std::optional<Clock::time_point> failureTime;
  bool hasToldFirst = false;
  Clock::time_point startTime = Clock::now();
  std::atomic<bool> isLeaving = false;
  std::atomic<Clock::time_point> leaveTime = Clock::time_point();
  std::thread thread;
};

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_TCP_HUB_H
