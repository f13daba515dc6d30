// Runs the streams of a program as threads.
#ifndef SHEAF_RUNTIME_HOST_THREAD_RUNNER_H
#define SHEAF_RUNTIME_HOST_THREAD_RUNNER_H

#include "runtime/core/runner.h"
#include "runtime/host/stream_team.h"

#include <atomic>

namespace sheaf::rt::host {

/// One thread per stream, those of the device's team; the caller's runs the first.
class ThreadRunner final : public Runner {
public:
  /// `enter` is called in each thread before its first step of a run. `team` must outlive the result.
  ThreadRunner(Schedule schedule, StreamTeam &team, std::function<void()> enter);

  RunEnd run(const RunObserver &observer, bool hasMoved) override;

private:
  void runStream(uint32_t stream);
  Status runStep(size_t index, uint32_t stream);

  const Schedule schedule;
  StreamTeam &team;
  const std::function<void()> enter;

  // Of the current run.
  std::vector<Event> events;
  uint64_t runNumber = 0;
  std::vector<RunEnd> streamEnds;
  std::atomic<bool> hasFailed = false;
  const RunObserver *observer = nullptr;
};

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_THREAD_RUNNER_H
