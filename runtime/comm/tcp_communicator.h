// Ranks that are processes, started by torchrun, Kubernetes or whatever else sets variables of the environment.
#ifndef SHEAF_RUNTIME_COMM_TCP_COMMUNICATOR_H
#define SHEAF_RUNTIME_COMM_TCP_COMMUNICATOR_H

#include "runtime/comm/tcp_place.h"
#include "runtime/core/communicator.h"

#include <memory>
#include <span>
#include <string>

namespace sheaf::rt::comm {

class Deadline;
class TcpHub;
class TcpJob;

/// This rank among all. The first failure makes the calls of all groups of all ranks fail with its reason.
///
/// A rank that ends without a farewell is a failure too, which all know at once.
class TcpWorld {
public:
  /// What becomes of the process when the job has failed.
  enum class AtFailure {
    /// `abort` tells all and returns.
    goOn,
    /// `abort` ends it, and so does a failure that it hears of and does not heed in time. Of each host one rank says
    /// why: the one that failed, if it is there and alive, else the lowest.
    endProcess
  };

  /// Waits for all ranks of `place`, which all call this. `timeoutMs`: how long that may take, and how long a rank
  /// waits for another in a collective; 0: for ever. Errors: see TcpJob and TcpHub.
  static Result<std::unique_ptr<TcpWorld>> start(const TcpPlace &place, int timeoutMs,
                                                 AtFailure atFailure = AtFailure::endProcess);
  /// On rank 0 it waits until all ranks have come to this.
  ~TcpWorld();
  TcpWorld(const TcpWorld &) = delete;
  TcpWorld &operator=(const TcpWorld &) = delete;

  Communicator &communicator() { return *own; }
  /// The name of the host of each rank.
  std::span<const std::string> hosts() const;

private:
  TcpWorld();

  // In the order in which they are needed.
  std::unique_ptr<Deadline> grace; ///< of a process that has heard of a failure
  std::unique_ptr<TcpHub> hub;     ///< rank 0's
  std::unique_ptr<TcpJob> job;
  std::unique_ptr<Communicator> own;
};

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_TCP_COMMUNICATOR_H
