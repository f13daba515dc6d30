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

} // namespace

std::vector<io::TraceSlice> traceOf(const ProgramInfo &program,
                                    const std::vector<Timing> &timings) {
  std::vector<io::TraceSlice> slices;
  for (size_t i = 0; i < timings.size(); ++i) {
    const abi::Instruction &instruction = program.instruction(i);
    slices.push_back({instruction.name()->str(),
                      instruction.location() ? instruction.location()->str() : "",
                      instruction.stream(), timings[i].startNs, timings[i].endNs,
                      bytesMoved(program, instruction)});
  }
  return slices;
}

} // namespace sheaf::rt::launch
