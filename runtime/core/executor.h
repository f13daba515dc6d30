// Holds an executable's state on a device and runs its programs.
#ifndef SHEAF_RUNTIME_CORE_EXECUTOR_H
#define SHEAF_RUNTIME_CORE_EXECUTOR_H

#include "runtime/core/bound_program.h"

namespace sheaf::rt {

/// Bytes that an executor has taken, for reports.
struct MemoryUse {
  int64_t variableBytes = 0; ///< allocated for variables
  int64_t mappedBytes = 0;   ///< of variables used in place in mapped files
  int64_t arenaBytes = 0;    ///< of the programs bound now, as predicted by the compiler
  int64_t scratchBytes = 0;  ///< of library calls
  int64_t peakBytes = 0;     ///< the highest sum of all allocations at any time, "prepare" included
};

/// One rank's state: variables in memory, programs bound.
class Executor {
public:
  /// Loads the variables and runs "prepare". Both arguments must outlive the result.
  static Result<std::unique_ptr<Executor>> create(const Executable &executable, Device &device);

  /// The program `name`, bound at the first call. Errors: there is none (lists those there are).
  Result<BoundProgram *> program(std::string_view name);

  MemoryUse memoryUse() const;

private:
  Executor(const Executable &executable, Device &device) : executable(executable), device(device) {}

  Status prepare();

  const Executable &executable;
  Device &device;
  MemoryAccount account;
  int64_t variableBytes = 0;
  Variables variables;
  std::vector<std::unique_ptr<BoundProgram>> programs;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_EXECUTOR_H
