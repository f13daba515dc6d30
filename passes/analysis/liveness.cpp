// Computes when each buffer of a program holds a value.
#include "passes/analysis/liveness.h"

#include "passes/analysis/stream_order.h"

using namespace mlir;
using namespace sheaf;

Value sheaf::memoryOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<exec::ViewOp>())
    buffer = view.getSource();
  return buffer;
}

bool sheaf::isInstruction(Operation *op) { return isa<exec::CallOp, exec::LaunchOp>(op); }

OperandRange sheaf::readBuffers(Operation *instruction) {
  if (auto call = dyn_cast<exec::CallOp>(instruction))
    return call.getIns();
  return cast<exec::LaunchOp>(instruction).getIns();
}

OperandRange sheaf::writtenBuffers(Operation *instruction) {
  if (auto call = dyn_cast<exec::CallOp>(instruction))
    return call.getOuts();
  return cast<exec::LaunchOp>(instruction).getOuts();
}

Liveness::Liveness(exec::ProgramOp program) {
  for (Operation &op : program.getBlock()) {
    if (!isInstruction(&op))
      continue;
    int64_t step = instructions.size();
    instructions.push_back(&op);
    for (Value buffer : op.getOperands()) {
      Value memory = memoryOf(buffer);
      int64_t bytes = cast<exec::BufferType>(memory.getType()).getBytes();
      auto [entry, isFirst] = ranges.insert({memory, LiveRange{bytes, step, step}});
      entry->second.end = step;
    }
  }
  StreamOrder order(instructions);
  for (auto [step, instruction] : llvm::enumerate(instructions)) {
    int64_t last = order.lastBeside(step);
    if (last != int64_t(step))
      for (Value buffer : instruction->getOperands()) {
        LiveRange &range = ranges[memoryOf(buffer)];
        range.end = std::max(range.end, last);
      }
  }
}
