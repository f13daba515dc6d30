// Orders the steps of streams that are threads by events.
#include "runtime/host/thread_runner.h"

#include <chrono>
#include <utility>

namespace sheaf::rt::host {
namespace {

int64_t nowNs() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

} // namespace

ThreadRunner::ThreadRunner(Schedule given, StreamTeam &team, std::function<void()> enterThread)
    : schedule(std::move(given)), team(team), enter(std::move(enterThread)),
      events(schedule.numEvents), streamEnds(schedule.numStreams) {}

RunEnd ThreadRunner::run(const RunObserver &observer, bool) {
  ++runNumber;
  hasFailed = false;
  this->observer = &observer;
  team.run(schedule.numStreams, [this](uint32_t stream) { runStream(stream); });
  for (RunEnd &end : streamEnds)
    if (!end.status.isOk())
      return std::exchange(end, RunEnd());
  return {};
}

void ThreadRunner::runStream(uint32_t stream) {
  enter();
  for (size_t i = 0; i < schedule.steps.size(); ++i) {
    const ScheduledStep &step = schedule.steps[i];
    if (step.stream != stream)
      continue;
    for (uint32_t event : step.waits)
      events[event].wait(runNumber);
    // After a failure nothing runs any more, but events are still set: no stream may wait for ever.
    if (!hasFailed.load(std::memory_order_relaxed)) {
      if (Status status = runStep(i, stream); !status.isOk()) {
        streamEnds[stream] = {std::move(status), i};
        hasFailed = true;
      }
    }
    for (uint32_t event : step.records)
      events[event].record(runNumber);
  }
}

Status ThreadRunner::runStep(size_t index, uint32_t stream) {
  const ScheduledStep &step = schedule.steps[index];
  if (observer->onStep && stream == 0)
    observer->onStep(index, schedule.steps.size());
  if (!observer->timings)
    return step.step->run(step.buffers, step.scratch);
  Timing &timing = (*observer->timings)[index];
  timing.startNs = nowNs();
  Status status = step.step->run(step.buffers, step.scratch);
  timing.endNs = nowNs();
  return status;
}

} // namespace sheaf::rt::host
