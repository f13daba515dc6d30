// Opens an executable for a rank and runs its programs.
#include "runtime/launch/session.h"

#include <chrono>

namespace sheaf::rt::launch {

Result<std::unique_ptr<Session>> Session::open(const ModelFiles &files,
                                               const SessionOptions &options) {
  std::unique_ptr<Session> session(new Session(options.threads));
  Result<std::unique_ptr<Executor>> executor =
      Executor::create(files.executable(), session->device,
                       {.weights = files.weights(),
                        .seed = options.seed,
                        .onProgress = options.onProgress,
                        .communicator = options.communicator});
  if (!executor.isOk())
    return executor.takeStatus().annotated(files.path().string());
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
