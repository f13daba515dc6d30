// What a process ends with that can't return to its tool.
#ifndef SHEAF_RUNTIME_COMM_EXIT_CODE_H
#define SHEAF_RUNTIME_COMM_EXIT_CODE_H

namespace sheaf::rt::comm {

/// What shard-run ends with when a rank failed, and when one did not come in time.
constexpr int failedExitCode = 3, timedOutExitCode = 4;

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_EXIT_CODE_H
