// How shard-run ends when something is wrong.
#ifndef SHEAF_TOOLS_SHARD_RUN_FAILURE_H
#define SHEAF_TOOLS_SHARD_RUN_FAILURE_H

#include "runtime/launch/agreement.h"

namespace sheaf::shard_run {

/// Exit codes that scripts rely on.
inline constexpr int invalidRequest = 1, rankFailed = 3, rankTimedOut = 4;

int exitCodeOf(rt::StatusCode code);

/// Prints the reason on stderr; returns the exit code.
int fail(const rt::Status &status);

/// The processes of a job, of which this is one, or the only one when `communicator` is null.
struct Processes {
  rt::Communicator *communicator;
  rt::launch::Agreement agreement;

  /// What `prepare` makes on each, of the number of processes. Errors, the same on all: it fails on one, or executables
  /// or facts of what it makes differ.
  template <typename Prepare> auto prepareTogether(Prepare prepare) -> decltype(prepare(int())) {
    auto own = prepare(agreement.size());
    rt::Status status = agreement.agree(own.isOk() ? rt::Status() : own.takeStatus());
    if (status.isOk())
      status = agreement.checkSame(own->files.executable().hash(), "executable");
    if (status.isOk())
      status = agreement.checkSame(factsOf(*own));
    if (!status.isOk())
      return status;
    return own;
  }

  /// Ends them all for a reason that all of them know, or are told: the first one prints it.
  int failTogether(const rt::Status &status);
};

} // namespace sheaf::shard_run

#endif // SHEAF_TOOLS_SHARD_RUN_FAILURE_H
