// An executable opened for one rank, and its runs.
#ifndef SHEAF_RUNTIME_LAUNCH_SESSION_H
#define SHEAF_RUNTIME_LAUNCH_SESSION_H

#include "runtime/core/executor.h"
#include "runtime/launch/device_choice.h"
#include "runtime/launch/model_files.h"
#include "runtime/launch/signature_memory.h"

namespace sheaf::rt::launch {

/// How often a program runs and what is measured.
struct RunRequest {
  int warmup = 0; ///< runs before those that count
  int repeat = 1; ///< runs that count
  bool isProfiled = false;
  ProgressListener onProgress; ///< may be empty
};

/// How an executable is opened.
struct SessionOptions {
  DeviceShare share;                    ///< of this rank
  uint64_t seed = 0;                    ///< of random numbers
  Communicator *communicator = nullptr; ///< to the other ranks; null: there are none
  ProgressListener onProgress;          ///< may be empty
};

/// What came of it.
struct RunReport {
  std::vector<double> runMs;   ///< of each run that counts
  std::vector<Timing> timings; ///< of the last run's instructions, when profiled
};

/// One rank's device and state.
class Session {
public:
  /// Loads the rank's part of the weights and prepares them. `files` and the communicator must outlive the result.
  static Result<std::unique_ptr<Session>> open(const ModelFiles &files,
                                               const SessionOptions &options);

  Result<BoundProgram *> program(std::string_view name) { return executor->program(name); }
  MemoryAccount &memoryAccount() { return executor->memoryAccount(); }
  const Variables &state() const { return executor->state(); }
  MemoryUse memoryUse() const { return executor->memoryUse(); }
  Place &place() { return executor->place(); }
  Device &device() { return *ownDevice; }

private:
  Session() = default;

  std::unique_ptr<Device> ownDevice;
  std::unique_ptr<Executor> executor;
};

/// Runs `program` as asked; the outputs are those of the last run. Copies of inputs and outputs are not timed.
Result<RunReport> runProgram(BoundProgram &program, const SignatureMemory &inputs,
                             const SignatureMemory &outputs, const RunRequest &request);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_SESSION_H
