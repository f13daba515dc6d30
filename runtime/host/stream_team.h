// The threads that run the streams of programs side by side.
#ifndef SHEAF_RUNTIME_HOST_STREAM_TEAM_H
#define SHEAF_RUNTIME_HOST_STREAM_TEAM_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace sheaf::rt::host {

/// One thread per stream after the first, which the caller runs itself. All programs of a device share its team, which
/// starts a thread when a program first has a stream for it.
class StreamTeam {
public:
  StreamTeam() = default;
  ~StreamTeam();
  StreamTeam(const StreamTeam &) = delete;
  StreamTeam &operator=(const StreamTeam &) = delete;

  /// Calls `body(stream)` for so many streams, each in its thread, and returns when all are done. One run at a time.
  void run(uint32_t numStreams, const std::function<void(uint32_t)> &body);

private:
  void work(uint32_t stream, uint64_t numBefore);

  // Of the current run; written while no thread works.
  const std::function<void(uint32_t)> *body = nullptr;
  uint32_t numStreams = 0;

  std::atomic<uint64_t> started = 0; ///< runs begun; the largest number ends the threads
  std::atomic<size_t> numBusy = 0;   ///< threads that have not ended their part of the run
  std::vector<std::thread> threads;
};

/// Set once per run, waited for in the same run. Runs are numbered from 1, so nothing needs to be reset.
class Event {
public:
  void record(uint64_t run) {
    lastRun.store(run, std::memory_order_release);
    lastRun.notify_all();
  }
  void wait(uint64_t run) const {
    for (uint64_t seen; (seen = lastRun.load(std::memory_order_acquire)) != run;)
      lastRun.wait(seen, std::memory_order_acquire);
  }

private:
  std::atomic<uint64_t> lastRun = 0;
};

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_STREAM_TEAM_H
