// The bound steps of a program in their order, and what runs them on a device.
#ifndef SHEAF_RUNTIME_CORE_RUNNER_H
#define SHEAF_RUNTIME_CORE_RUNNER_H

#include "runtime/core/status.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace sheaf::rt {

/// An instruction made ready: all that does not change between runs has been done.
class Step {
public:
  virtual ~Step() = default;

  /// Does the work, or puts it into the stream that the step was bound for. `buffers` are the ins, then the outs;
  /// `scratch` has `scratchBytes()` bytes that no other stream uses meanwhile. Allocates nothing (but see
  /// staged_step.h).
  virtual Status run(void *const *buffers, std::byte *scratch) = 0;

  virtual size_t scratchBytes() const { return 0; }

  /// Called when all work of some runs is done, by devices that do it after `run` returned: what went wrong in them.
  virtual Status finish() { return {}; }

  /// Called when a device has repeated the recorded work of `run` without calling it: counts what `run` counts.
  virtual void countRepeat() {}
};

/// A step with all it needs to run.
struct ScheduledStep {
  Step *step = nullptr;
  void *const *buffers = nullptr; ///< what they hold may change between runs
  std::byte *scratch = nullptr;
  uint32_t stream = 0;
  std::span<const uint32_t> waits;   ///< events, recorded by steps before this one
  std::span<const uint32_t> records; ///< events, each recorded once per run
};

/// The steps of a program in the order of its instructions.
struct Schedule {
  std::vector<ScheduledStep> steps;
  uint32_t numStreams = 1;
  uint32_t numEvents = 0;
};

/// When an instruction ran, in nanoseconds of the steady clock.
struct Timing {
  int64_t startNs = 0;
  int64_t endNs = 0;
};

/// What a run tells while it goes on.
struct RunObserver {
  std::vector<Timing> *timings = nullptr; ///< when each instruction ran
  /// Called before each instruction of the first stream, with its index and the number of instructions.
  std::function<void(size_t index, size_t count)> onStep;
};

/// How a run ended.
struct RunEnd {
  Status status;
  std::optional<size_t> step = {}; ///< that failed, when that is known
};

/// Runs a schedule again and again.
class Runner {
public:
  virtual ~Runner() = default;

  /// Runs every step after the earlier ones of its stream, after those that record the events it waits for, and after
  /// all earlier runs on the device. Returns when all work is done or is in the device's streams, for which
  /// `Device::drain` waits; where `observer` asks for timings it is done. After a failure no further step begins.
  /// `hasMoved`: some buffer is elsewhere than in the run before.
  virtual RunEnd run(const RunObserver &observer, bool hasMoved) = 0;

  /// Called when the device is drained: what went wrong in the runs since the last call.
  virtual RunEnd finishRuns() { return {}; }
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_RUNNER_H
