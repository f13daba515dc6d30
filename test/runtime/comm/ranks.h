// The ranks that tests of communicators run on: threads, or the processes that mpirun started this test as.
#ifndef SHEAF_TEST_RUNTIME_COMM_RANKS_H
#define SHEAF_TEST_RUNTIME_COMM_RANKS_H

#include "runtime/core/communicator.h"

#include <functional>
#include <vector>

namespace sheaf::rt::test {

/// Runs bodies on ranks.
class Ranks {
public:
  virtual ~Ranks() = default;

  /// Those of this process.
  static Ranks &instance();

  /// How many ranks there can be.
  virtual std::vector<int> sizes() const = 0;

  /// Runs `body` on each of `numRanks` ranks that know nothing of earlier failures. Under MPI this process is one of
  /// them; it returns when all are done.
  virtual void run(int numRanks, int timeoutMs,
                   const std::function<void(Communicator &)> &body) = 0;

  /// `run` for every possible number of ranks that is at least `minRanks`.
  void runAll(const std::function<void(Communicator &)> &body, int minRanks = 1) {
    for (int numRanks : sizes())
      if (numRanks >= minRanks)
        run(numRanks, /*timeoutMs=*/60'000, body);
  }
};

} // namespace sheaf::rt::test

#endif // SHEAF_TEST_RUNTIME_COMM_RANKS_H
