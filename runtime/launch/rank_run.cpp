// Runs a program on one rank.
#include "runtime/launch/rank_run.h"

#include "runtime/launch/planned_wire.h"

namespace sheaf::rt::launch {

RankRun::RankRun(const ModelFiles &files, const JobRequest &request, const DeviceShare &share,
                 Communicator *communicator)
    : files(files), request(request), share(share), communicator(communicator) {}

Status RankRun::openSession() {
  Result<std::unique_ptr<Session>> opened =
      Session::open(files, {.share = share,
                            .seed = request.seed,
                            .communicator = communicator,
                            .onProgress = rank() == 0 ? request.run.onProgress : nullptr});
  if (!opened.isOk())
    return opened.takeStatus();
  session = std::move(*opened);
  return {};
}

Status RankRun::bindProgram() {
  Result<BoundProgram *> bound = session->program(request.program->name);
  if (!bound.isOk())
    return bound.takeStatus();
  program = *bound;
  MemoryAccount &account = session->memoryAccount();
  Device &device = session->device();
  auto inputs = SignatureMemory::allocate(request.program->inputs, "input", device, &account);
  if (!inputs.isOk())
    return inputs.takeStatus();
  auto outputs = SignatureMemory::allocate(request.program->outputs, "output", device, &account);
  if (!outputs.isOk())
    return outputs.takeStatus();
  inputMemory = std::move(*inputs);
  outputMemory = std::move(*outputs);
  return request.inputs->write(files.executable().mesh(), rank(), session->state(),
                               inputMemory.values());
}

Status RankRun::open(Agreement &agreement) {
  // All have their weights before any makes a group with others: that may wait for them.
  if (Status status = agreement.agree(openSession()); !status.isOk())
    return status;
  return agreement.agree(bindProgram());
}

Status RankRun::run() {
  RunRequest run = request.run;
  if (rank() != 0)
    run.onProgress = nullptr;
  Place &place = session->place();
  place.clearLedger(); // The plan is of the program, not of what came before it.
  Result<RunReport> report = runProgram(*program, inputMemory, outputMemory, run);
  if (!report.isOk())
    return report.takeStatus();
  measured = std::move(*report);
  wire = place.ledger().ofOneRun(request.run.warmup + request.run.repeat);
  return checkWire(*request.program, wire);
}

RankReport RankRun::report() const { return {session->memoryUse(), measured, wire}; }

} // namespace sheaf::rt::launch
