// Loads an executable onto a device, prepares its variables, binds its programs.
#include "runtime/core/executor.h"

namespace sheaf::rt {

Result<std::unique_ptr<Executor>> Executor::create(const Executable &executable, Device &device,
                                                   const RunOptions &options) {
  std::unique_ptr<Executor> executor(new Executor(executable, device, options.seed));
  Result<std::unique_ptr<Place>> place =
      Place::create(executable.mesh(), device.connect(options.communicator));
  if (!place.isOk())
    return place.takeStatus();
  executor->rankPlace = std::move(*place);
  if (Status status = device.loadKernels(executable.table()); !status.isOk())
    return std::move(status).annotated("kernels");
  Result<Variables> variables =
      Variables::load(executable, executor->rankPlace->rank(), device, executor->account,
                      options.weights, options.onProgress);
  if (!variables.isOk())
    return variables.takeStatus();
  executor->variables = std::move(*variables);
  if (Status status = executor->prepare(options.onProgress); !status.isOk())
    return std::move(status).annotated("program \"prepare\"");
  executor->variableBytes = static_cast<int64_t>(executor->account.currentBytes());
  return executor;
}

Result<std::unique_ptr<BoundProgram>> Executor::bind(const ProgramInfo &program) {
  // Programs run one after another: the largest arena so far serves all that fit.
  const BoundProgram *lender = nullptr;
  for (const std::unique_ptr<BoundProgram> &bound : programs)
    if (!lender || bound->info().arenaBytes(abi::Space::device) >
                       lender->info().arenaBytes(abi::Space::device))
      lender = bound.get();
  return BoundProgram::bind(program, {device, variables, *rankPlace, account, seed}, lender);
}

Status Executor::prepare(const ProgressListener &onProgress) {
  if (const ProgramInfo *info = executable.findProgram("prepare")) {
    Result<std::unique_ptr<BoundProgram>> bound = bind(*info);
    if (!bound.isOk())
      return bound.takeStatus();
    RunObserver observer;
    if (onProgress)
      observer.onStep = [&](size_t index, size_t count) {
        onProgress("preparing weights", static_cast<int64_t>(index), static_cast<int64_t>(count));
      };
    if (Status status = (*bound)->run({}, {}, observer); !status.isOk())
      return status;
  }
  variables.freePrepareOnly(executable);
  return {};
}

Result<BoundProgram *> Executor::program(std::string_view name) {
  for (const std::unique_ptr<BoundProgram> &program : programs)
    if (program->info().name == name)
      return program.get();
  Result<const ProgramInfo *> info = executable.program(name);
  if (!info.isOk())
    return info.takeStatus();
  Result<std::unique_ptr<BoundProgram>> bound = bind(**info);
  if (!bound.isOk())
    return bound.takeStatus().annotated("program \"", name, "\"");
  programs.push_back(std::move(*bound));
  return programs.back().get();
}

MemoryUse Executor::memoryUse() const {
  MemoryUse use;
  use.variableBytes = variableBytes;
  use.mappedBytes = variables.mappedBytes();
  if (const ProgramInfo *prepare = executable.findProgram("prepare"))
    use.plannedBytes = prepare->plannedBytes();
  for (const std::unique_ptr<BoundProgram> &program : programs) {
    use.plannedBytes = std::max(use.plannedBytes, program->info().plannedBytes());
    use.arenaBytes += program->arenaBytes();
    use.scratchBytes += program->scratchBytes();
  }
  use.signatureBytes =
      static_cast<int64_t>(account.currentBytes()) - use.variableBytes - use.arenaBytes;
  use.peakBytes = static_cast<int64_t>(account.peakBytes());
  return use;
}

} // namespace sheaf::rt
