// Ranks that are threads of one process: collectives work directly in the others' memory.
#ifndef SHEAF_RUNTIME_COMM_THREAD_COMMUNICATOR_H
#define SHEAF_RUNTIME_COMM_THREAD_COMMUNICATOR_H

#include "runtime/core/communicator.h"

#include <memory>
#include <vector>

namespace sheaf::rt::comm {

struct ThreadWorldState;

/// All ranks of one process. It must outlive its communicators and their groups.
///
/// Reductions combine in the order of the members, so results are the same bits in every run. The first failure, a
/// rank that did not come in time or one that called `abort`, makes every waiting and later call of all groups fail
/// with its reason.
class ThreadWorld {
public:
  static constexpr int defaultTimeoutMs = 60'000;

  /// `timeoutMs`: how long a rank waits for another in a collective; 0: for ever.
  explicit ThreadWorld(int numRanks, int timeoutMs = defaultTimeoutMs);
  ~ThreadWorld();
  ThreadWorld(const ThreadWorld &) = delete;
  ThreadWorld &operator=(const ThreadWorld &) = delete;

  int size() const;
  /// That of one rank. Groups are made and used by the threads of that rank, each group by one at a time.
  Communicator &communicator(int rank);

private:
  std::unique_ptr<ThreadWorldState> state;
  std::vector<std::unique_ptr<Communicator>> communicators;
};

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_THREAD_COMMUNICATOR_H
