// Runs a program on samples.
#include "runtime/launch/training/fed_program.h"

#include "runtime/launch/planned_wire.h"

namespace sheaf::rt::launch {

FedProgram::FedProgram(const SampleFeed &feed, Session &session, const Mesh &mesh, int rank)
    : feed(feed), session(session), writer(feed, mesh, rank) {}

Status FedProgram::open() {
  const ProgramInfo &info = feed.program();
  Result<BoundProgram *> bound = session.program(info.name);
  if (!bound.isOk())
    return bound.takeStatus();
  program = *bound;
  MemoryAccount &account = session.memoryAccount();
  auto madeInputs = SignatureMemory::allocate(info.inputs, "input", session.device(), &account);
  if (!madeInputs.isOk())
    return madeInputs.takeStatus();
  auto madeOutputs = SignatureMemory::allocate(info.outputs, "output", session.device(), &account);
  if (!madeOutputs.isOk())
    return madeOutputs.takeStatus();
  inputs = std::move(*madeInputs);
  outputs = std::move(*madeOutputs);
  for (size_t i = 0; i < info.inputs.size(); ++i) {
    const SignatureInfo &input = info.inputs[i];
    if (feed.source(i).column)
      continue;
    if (Status status =
            session.state().copyTo(*input.defaultVariable, input.bytes, inputs.values()[i].data());
        !status.isOk())
      return std::move(status).annotated("input \"", input.name, "\"");
  }
  return {};
}

Result<StepMetrics> FedProgram::run(std::span<const int64_t> samples,
                                    std::vector<Timing> *timings) {
  writer.write(samples, inputs.values());
  if (Status status = inputs.upload(); !status.isOk())
    return status;
  RunObserver observer;
  observer.timings = timings;
  session.place().clearLedger();
  Status status = program->run(inputs.constAddresses(), outputs.addresses(), observer);
  moved = session.place().ledger();
  if (status.isOk())
    status = checkWire(feed.program(), moved);
  if (status.isOk())
    status = outputs.download();
  if (!status.isOk())
    return std::move(status).annotated("program \"", feed.program().name, "\"");
  return StepMetrics::read(feed.program(), outputs.values());
}

} // namespace sheaf::rt::launch
