// Names and measures the slices of a trace.
#include "runtime/launch/profile.h"

namespace sheaf::rt::launch {
namespace {

/// Bytes that an instruction reads and writes: kernels say it, for calls it is the size of the buffers.
int64_t bytesMoved(const ProgramInfo &program, const abi::Instruction &instruction) {
  if (instruction.kind() == abi::InstructionKind::kernel && instruction.unit_bytes() > 0)
    return instruction.units() * instruction.unit_bytes();
  int64_t bytes = 0;
  for (const auto *list : {instruction.ins(), instruction.outs()})
    if (list)
      for (uint32_t buffer : *list)
        bytes +=
            program.buffers[buffer].shape.elements() * program.buffers[buffer].shape.elementBytes();
  return bytes;
}

/// Appends a run of the instructions of `program`, whose timings begin at `first`.
void addRun(const ProgramInfo &program, const std::vector<Timing> &timings, size_t first,
            std::vector<io::TraceSlice> &slices) {
  for (size_t i = 0; i < program.numInstructions() && first + i < timings.size(); ++i) {
    const abi::Instruction &instruction = program.instruction(i);
    const Timing &timing = timings[first + i];
    slices.push_back(
        {instruction.name()->str(), instruction.location() ? instruction.location()->str() : "",
         instruction.stream(), timing.startNs, timing.endNs, bytesMoved(program, instruction)});
  }
}

} // namespace

std::vector<io::TraceSlice> traceOf(const ProgramInfo &program,
                                    const std::vector<Timing> &timings) {
  std::vector<io::TraceSlice> slices;
  addRun(program, timings, 0, slices);
  for (const PartInfo &part : program.parts)
    for (int64_t i = 0; i < part.times; ++i)
      addRun(*part.program, timings, slices.size(), slices);
  return slices;
}

} // namespace sheaf::rt::launch
