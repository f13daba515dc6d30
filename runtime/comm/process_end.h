// Ends the process of a rank whose job has failed.
#ifndef SHEAF_RUNTIME_COMM_PROCESS_END_H
#define SHEAF_RUNTIME_COMM_PROCESS_END_H

#include "runtime/comm/tcp_frame.h"

namespace sheaf::rt::comm {

/// Whether rank `own` is the one of its host that says why the job failed. `hosts`: of each rank.
bool isSpeaker(const JobFailure &failure, int own, std::span<const std::string> hosts);

/// What a process ends with: that of shard-run.
int exitCodeOf(const JobFailure &failure);

/// Prints `text` as an error, unless it is empty, and ends the process without any clean-up.
[[noreturn]] void endProcess(int exitCode, const std::string &text);

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_PROCESS_END_H
