// Opens an executable for a rank and runs its programs.
#include "runtime/launch/session.h"

#include <chrono>

namespace sheaf::rt::launch {

Result<std::unique_ptr<Session>> Session::open(const ModelFiles &files,
                                               const SessionOptions &options) {
  std::unique_ptr<Session> session(new Session());
  Result<std::unique_ptr<Device>> device = openDevice(files.executable(), options.share);
  if (!device.isOk())
    return device.takeStatus().annotated(files.path().string());
  session->ownDevice = std::move(*device);
  Result<std::unique_ptr<Executor>> executor =
      Executor::create(files.executable(), *session->ownDevice,
                       {.weights = files.weights(),
                        .seed = options.seed,
                        .onProgress = options.onProgress,
                        .communicator = options.communicator});
  if (!executor.isOk())
    return executor.takeStatus().annotated(files.path().string());
  session->executor = std::move(*executor);
  return session;
}

Result<RunReport> runProgram(BoundProgram &program, const SignatureMemory &inputs,
                             const SignatureMemory &outputs, const RunRequest &request) {
  if (Status status = inputs.upload(); !status.isOk())
    return status;
  RunReport report;
  RunObserver observer;
  observer.timings = request.isProfiled ? &report.timings : nullptr;
  for (int i = 0; i < request.warmup + request.repeat; ++i) {
    if (request.onProgress)
      request.onProgress("running", i, request.warmup + request.repeat);
    auto start = std::chrono::steady_clock::now();
    Status status = program.run(inputs.constAddresses(), outputs.addresses(), observer);
    if (!status.isOk())
      return std::move(status).annotated("program \"", program.info().name, "\"");
    std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    if (i >= request.warmup)
      report.runMs.push_back(elapsed.count());
  }
  if (Status status = outputs.download(); !status.isOk())
    return status;
  return report;
}

} // namespace sheaf::rt::launch
