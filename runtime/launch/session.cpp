// Opens executables and runs their programs.
#include "runtime/launch/session.h"

#include "runtime/io/weight_files.h"
#include "runtime/launch/environment.h"

#include <chrono>
#include <set>

namespace sheaf::rt::launch {

static WeightUse weightUseOf(const Executable &executable, const std::vector<std::string> &names) {
  std::set<std::string_view> variables;
  for (const VariableInfo &variable : executable.variables())
    if (variable.table->source() || variable.table->constant() != UINT32_MAX)
      variables.insert(variable.table->name()->string_view());
  WeightUse use;
  for (const std::string &name : names) {
    if (variables.contains(name))
      ++use.numUsed;
    else
      use.unused.push_back(name);
  }
  return use;
}

Result<std::unique_ptr<Session>> Session::open(const std::filesystem::path &path,
                                               const SessionOptions &options) {
  if (Status status = checkEnvironment(); !status.isOk())
    return status;
  Result<Executable> file = Executable::open(path);
  if (!file.isOk())
    return file.takeStatus();
  if (Status status = checkTarget(*file, cpuFlags()); !status.isOk())
    return std::move(status).annotated(path.string());
  std::unique_ptr<Session> session(new Session(std::move(*file), options.threads));
  std::unique_ptr<io::WeightFiles> weights;
  if (!options.weights.empty()) {
    Result<std::unique_ptr<io::WeightFiles>> opened = io::WeightFiles::open(options.weights);
    if (!opened.isOk())
      return opened.takeStatus();
    weights = std::move(*opened);
    session->use = weightUseOf(session->file, weights->names());
  }
  Result<std::unique_ptr<Executor>> executor = Executor::create(
      session->file, session->device, {weights.get(), options.seed, options.onProgress});
  if (!executor.isOk())
    return executor.takeStatus().annotated(path.string());
  session->executor = std::move(*executor);
  return session;
}

Result<std::vector<Memory>> allocateOutputs(const ProgramInfo &program, MemoryAccount *account) {
  std::vector<Memory> outputs;
  for (const SignatureInfo &output : program.outputs) {
    Result<Memory> memory = allocateHostMemory(static_cast<size_t>(output.bytes), account);
    if (!memory.isOk())
      return memory.takeStatus().annotated("output \"", output.name, "\"");
    outputs.push_back(std::move(*memory));
  }
  return outputs;
}

Result<RunReport> runProgram(BoundProgram &program, const std::vector<Memory> &inputs,
                             const std::vector<Memory> &outputs, const RunRequest &request) {
  std::vector<const void *> inputPointers;
  for (const Memory &input : inputs)
    inputPointers.push_back(input.data());
  std::vector<void *> outputPointers;
  for (const Memory &output : outputs)
    outputPointers.push_back(output.data());
  RunReport report;
  RunObserver observer;
  observer.timings = request.isProfiled ? &report.timings : nullptr;
  for (int i = 0; i < request.warmup + request.repeat; ++i) {
    if (request.onProgress)
      request.onProgress("running", i, request.warmup + request.repeat);
    auto start = std::chrono::steady_clock::now();
    Status status = program.run(inputPointers, outputPointers, observer);
    if (!status.isOk())
      return std::move(status).annotated("program \"", program.info().name, "\"");
    std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    if (i >= request.warmup)
      report.runMs.push_back(elapsed.count());
  }
  return report;
}

} // namespace sheaf::rt::launch
