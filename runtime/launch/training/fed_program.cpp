// Runs a program on samples.
#include "runtime/launch/training/fed_program.h"

#include "runtime/launch/planned_wire.h"

#include <cstring>

namespace sheaf::rt::launch {

FedProgram::FedProgram(const SampleFeed &feed, Session &session, const Mesh &mesh, int rank)
    : feed(feed), session(session), writer(feed, mesh, rank) {}

Status FedProgram::open() {
  const ProgramInfo &info = feed.program();
  Result<BoundProgram *> bound = session.program(info.name);
  if (!bound.isOk())
    return bound.takeStatus();
  program = *bound;
  for (size_t i = 0; i < info.inputs.size(); ++i) {
    const SignatureInfo &input = info.inputs[i];
    auto bytes = static_cast<size_t>(input.bytes);
    Result<Memory> memory = allocateHostMemory(bytes, &session.memoryAccount());
    if (!memory.isOk())
      return memory.takeStatus().annotated("input \"", input.name, "\"");
    if (!feed.source(i).column && bytes > 0)
      std::memcpy(memory->data(), session.state().data(*input.defaultVariable), bytes);
    inputPointers.push_back(memory->data());
    inputs.push_back(std::move(*memory));
  }
  Result<std::vector<Memory>> made = allocateOutputs(info, &session.memoryAccount());
  if (!made.isOk())
    return made.takeStatus();
  outputs = std::move(*made);
  for (const Memory &output : outputs)
    outputPointers.push_back(output.data());
  return {};
}

Result<StepMetrics> FedProgram::run(std::span<const int64_t> samples,
                                    std::vector<Timing> *timings) {
  writer.write(samples, inputs);
  RunObserver observer;
  observer.timings = timings;
  session.place().clearLedger();
  Status status = program->run(inputPointers, outputPointers, observer);
  moved = session.place().ledger();
  if (status.isOk())
    status = checkWire(feed.program(), moved);
  if (!status.isOk())
    return std::move(status).annotated("program \"", feed.program().name, "\"");
  return StepMetrics::read(feed.program(), outputs);
}

} // namespace sheaf::rt::launch
