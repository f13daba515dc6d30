// Holds an executable's state on a device and runs its programs.
#ifndef SHEAF_RUNTIME_CORE_EXECUTOR_H
#define SHEAF_RUNTIME_CORE_EXECUTOR_H

#include "runtime/core/bound_program.h"

namespace sheaf::rt {

/// Bytes in use, for reports. What counts is said in runtime/abi/planned_memory.h.
struct MemoryUse {
  int64_t variableBytes = 0;  ///< of variables that stay after "prepare"
  int64_t mappedBytes = 0;    ///< of those, used in place in mapped files
  int64_t arenaBytes = 0;     ///< of the programs bound now
  int64_t signatureBytes = 0; ///< of inputs and outputs
  int64_t peakBytes = 0;      ///< the highest sum of planned memory at any time, "prepare" included
  int64_t plannedBytes = 0;   ///< what the compiler predicted `peakBytes` to be
  int64_t scratchBytes = 0;   ///< of library calls, beyond the plan
};

/// What a run may choose that is not in the executable.
struct RunOptions {
  const WeightSource *weights = nullptr; ///< instead of the files that the executable names
  uint64_t seed = 0;                     ///< of random numbers: see CallSite::seed
  ProgressListener onProgress = {};      ///< may be empty
  Communicator *communicator = nullptr;  ///< to the other ranks of the mesh; null: there are none
};

/// One rank's state: variables in memory, programs bound.
class Executor {
public:
  /// Loads the variables and runs "prepare". `executable`, `device` and `options.communicator` must outlive the
  /// result, `options.weights` this call.
  static Result<std::unique_ptr<Executor>> create(const Executable &executable, Device &device,
                                                  const RunOptions &options = {});

  /// The program `name`, bound at the first call. Errors: there is none (lists those there are).
  Result<BoundProgram *> program(std::string_view name);

  /// Where inputs and outputs are to be charged: they are part of the plan.
  MemoryAccount &memoryAccount() { return account; }
  /// The variables as they are now.
  const Variables &state() const { return variables; }
  /// This rank among all.
  Place &place() { return *rankPlace; }

  MemoryUse memoryUse() const;

private:
  Executor(const Executable &executable, Device &device, uint64_t seed)
      : executable(executable), device(device), seed(seed) {}

  Status prepare(const ProgressListener &onProgress);
  Result<std::unique_ptr<BoundProgram>> bind(const ProgramInfo &program);

  const Executable &executable;
  Device &device;
  uint64_t seed;
  std::unique_ptr<Place> rankPlace;
  MemoryAccount account;
  int64_t variableBytes = 0;
  Variables variables;
  std::vector<std::unique_ptr<BoundProgram>> programs;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_EXECUTOR_H
