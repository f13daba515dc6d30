// Says why, once on each host.
#include "runtime/comm/process_end.h"

#include "runtime/comm/exit_code.h"

#include <cstdio>
#include <cstdlib>

namespace sheaf::rt::comm {

bool isSpeaker(const JobFailure &failure, int own, std::span<const std::string> hosts) {
  auto hostOf = [&](int rank) { return hosts[static_cast<size_t>(rank)]; };
  bool isKnown = failure.origin >= 0 && static_cast<size_t>(failure.origin) < hosts.size();
  if (isKnown && !failure.isDead && hostOf(failure.origin) == hostOf(own))
    return failure.origin == own;
  for (int rank = 0; rank < own; ++rank)
    if (hostOf(rank) == hostOf(own) && !(failure.isDead && rank == failure.origin))
      return false;
  return true;
}

int exitCodeOf(const JobFailure &failure) {
  return failure.code == StatusCode::timedOut ? timedOutExitCode : failedExitCode;
}

void endProcess(int exitCode, const std::string &text) {
  if (!text.empty())
    std::fprintf(stderr, "error: %s\n", text.c_str());
  std::fflush(stderr);
  std::_Exit(exitCode);
}

} // namespace sheaf::rt::comm
