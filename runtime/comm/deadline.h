// Ends a process that is stuck in a call which nobody can interrupt.
#ifndef SHEAF_RUNTIME_COMM_DEADLINE_H
#define SHEAF_RUNTIME_COMM_DEADLINE_H

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace sheaf::rt::comm {

/// From its making to its destruction: unless it is destroyed within `timeoutMs`, it prints `text` as an error and ends
/// the process with `exitCode`, without any clean-up. The launcher then ends the other processes. 0: never.
class Deadline {
public:
  Deadline(int timeoutMs, int exitCode, std::string text);
  ~Deadline();
  Deadline(const Deadline &) = delete;
  Deadline &operator=(const Deadline &) = delete;

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool isOver = false;
  std::thread watch; ///< none without a timeout
};

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_DEADLINE_H
