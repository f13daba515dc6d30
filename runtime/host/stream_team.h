// The threads that run the streams of a program side by side.
#ifndef SHEAF_RUNTIME_HOST_STREAM_TEAM_H
#define SHEAF_RUNTIME_HOST_STREAM_TEAM_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace sheaf::rt::host {

/// One thread per stream after the first, which the caller runs itself. A team of one starts no thread.
class StreamTeam {
public:
  /// Each thread calls `enter` once, then `body(stream)` for each run.
  StreamTeam(uint32_t numStreams, std::function<void()> enter, std::function<void(uint32_t)> body);
  ~StreamTeam();
  StreamTeam(const StreamTeam &) = delete;
  StreamTeam &operator=(const StreamTeam &) = delete;

  /// Runs `body` for every stream and returns when all are done.
  void runAll();

private:
  void work(uint32_t stream);

  std::function<void()> enter;
  std::function<void(uint32_t)> body;
  std::atomic<uint64_t> started = 0;  ///< runs begun; the largest number ends the threads
  std::atomic<uint64_t> finished = 0; ///< runs of single streams ended
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
