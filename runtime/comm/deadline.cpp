// A thread that waits for the end of something, but not for ever.
#include "runtime/comm/deadline.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace sheaf::rt::comm {

Deadline::Deadline(int timeoutMs, int exitCode, std::string text) {
  if (timeoutMs == 0)
    return;
  watch = std::thread([this, timeoutMs, exitCode, text = std::move(text)] {
    std::unique_lock lock(mutex);
    if (changed.wait_for(lock, std::chrono::milliseconds(timeoutMs), [&] { return isOver; }))
      return;
    if (!text.empty())
      std::fprintf(stderr, "error: %s\n", text.c_str());
    std::_Exit(exitCode);
  });
}

Deadline::~Deadline() {
  if (!watch.joinable())
    return;
  {
    std::lock_guard lock(mutex);
    isOver = true;
  }
  changed.notify_all();
  watch.join();
}

} // namespace sheaf::rt::comm
