// An executable opened for one rank in this process: what shard-run drives.
#ifndef SHEAF_RUNTIME_LAUNCH_SESSION_H
#define SHEAF_RUNTIME_LAUNCH_SESSION_H

#include "runtime/core/executor.h"
#include "runtime/host/host_device.h"

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
  int threads = 1;
  std::filesystem::path
      weights;       ///< a safetensors file or an index of such; empty: where the executable says
  uint64_t seed = 0; ///< of random numbers
  ProgressListener onProgress; ///< may be empty
};

/// What came of it.
struct RunReport {
  std::vector<double> runMs;   ///< of each run that counts
  std::vector<Timing> timings; ///< of the last run's instructions, when profiled
};

/// What of a weights file an executable took.
struct WeightUse {
  int64_t numUsed = 0;
  /// Names that none of its weights has. Weights of one element are among them: they are part of the program.
  std::vector<std::string> unused;
};

/// An executable, its device and its state.
class Session {
public:
  /// Checks that `path` can run here, loads its weights and prepares them.
  static Result<std::unique_ptr<Session>> open(const std::filesystem::path &path,
                                               const SessionOptions &options);

  const Executable &executable() const { return file; }
  Result<BoundProgram *> program(std::string_view name) { return executor->program(name); }
  MemoryAccount &memoryAccount() { return executor->memoryAccount(); }
  const Variables &state() const { return executor->state(); }
  MemoryUse memoryUse() const { return executor->memoryUse(); }
  /// None when there is no weights file.
  const std::optional<WeightUse> &weightUse() const { return use; }

private:
  Session(Executable file, int threads) : file(std::move(file)), device(threads) {}

  Executable file;
  host::HostDevice device;
  std::unique_ptr<Executor> executor;
  std::optional<WeightUse> use;
};

/// Memory for each output of `program`, in its order.
Result<std::vector<Memory>> allocateOutputs(const ProgramInfo &program, MemoryAccount *account);

/// Runs `program` as asked; the outputs are those of the last run.
Result<RunReport> runProgram(BoundProgram &program, const std::vector<Memory> &inputs,
                             const std::vector<Memory> &outputs, const RunRequest &request);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_SESSION_H
