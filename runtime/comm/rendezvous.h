// Where the threads of a group meet before they touch each other's memory, and part after it.
#ifndef SHEAF_RUNTIME_COMM_RENDEZVOUS_H
#define SHEAF_RUNTIME_COMM_RENDEZVOUS_H

#include "runtime/core/status.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace sheaf::rt::comm {

/// A barrier that can fail. Members alternate `meet` and, when it succeeded, `part`.
///
/// All members of one meeting get the same answer: either everybody came, and nobody leaves before all have parted; or
/// nobody reads another's memory. So memory may be freed after a failure.
class Rendezvous {
public:
  explicit Rendezvous(int size) : size(size), hasCome(static_cast<size_t>(size), false) {}

  /// Words a failure, from who has come.
  using LateText = std::function<std::string(const std::vector<bool> &hasCome)>;

  /// Waits for all members. Errors: TimedOut for the member that found that someone did not come within `timeoutMs` (0:
  /// for ever); Aborted, with its reason, for the others, and when `breakUp` was called.
  Status meet(int member, int timeoutMs, const LateText &lateText);

  /// Waits until all members have done what they met for.
  void part(int member);

  /// Makes meetings that wait and later ones fail with `reason`; the first reason counts.
  void breakUp(const std::string &reason);

private:
  using Lock = std::unique_lock<std::mutex>;

  /// Counts a member; returns the phase that ends when all have come.
  uint64_t arrive(int member, Lock &lock);
  /// True when `phase` ended while it was worth a busy wait.
  bool spin(uint64_t phase) const;

  const int size;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> hasCome;
  int numCome = 0;
  bool isBroken = false;
  std::string reason;
  std::atomic<uint64_t> phasesDone = 0;
};

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_RENDEZVOUS_H
