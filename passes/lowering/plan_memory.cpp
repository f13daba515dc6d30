// Gives the buffers of each program their offsets in the arena, or says why there is no room.
#include "passes/analysis/byte_count.h"
#include "passes/analysis/liveness.h"
#include "passes/lowering/memory_report.h"
#include "passes/lowering/passes.h"

namespace sheaf::lowering {
#define GEN_PASS_DEF_LOWERINGPLANMEMORYPASS
#include "passes/lowering/passes.h.inc"

using namespace mlir;

namespace {

/// The values of one program that live in the arena.
struct ArenaValues {
  SmallVector<exec::BufferOp> buffers;
  SmallVector<LiveRange> ranges;

  explicit ArenaValues(const Liveness &liveness) {
    for (auto [memory, range] : liveness.ranges)
      if (auto buffer = memory.getDefiningOp<exec::BufferOp>()) {
        buffers.push_back(buffer);
        ranges.push_back(range);
      }
  }
};

/// Memory as a message names it.
struct NamedBytes {
  std::string what;
  Location loc;
  int64_t bytes;
};

/// What is allocated at the peak of a program: values, inputs and outputs of it or of the whole, all variables.
SmallVector<NamedBytes> listMemory(exec::ProgramOp program, ArenaValues &values) {
  SmallVector<NamedBytes> memory;
  for (unsigned index : findPeak(values.ranges).ranges)
    memory.push_back({"a value", values.buffers[index].getLoc(), values.ranges[index].bytes});
  auto addArguments = [&](StringRef role, ArrayRef<BlockArgument> buffers) {
    for (BlockArgument buffer : buffers)
      memory.push_back({(role + " \"" + signatureName(buffer).getValue() + "\"").str(),
                        program.getLoc(), cast<exec::BufferType>(buffer.getType()).getBytes()});
  };
  WholeProgram whole = WholeProgram::of(program);
  addArguments("input", whole.inputs());
  addArguments("output", whole.outputs());
  for (auto variable : program->getParentOfType<ModuleOp>().getOps<exec::VariableOp>())
    memory.push_back({("variable \"" + variable.getSymName() + "\"").str(), program.getLoc(),
                      cast<exec::BufferType>(variable.getType()).getBytes()});
  return memory;
}

struct PlanMemory : impl::LoweringPlanMemoryPassBase<PlanMemory> {
  using LoweringPlanMemoryPassBase::LoweringPlanMemoryPassBase;

  void runOnOperation() override {
    for (auto program : getOperation().getOps<exec::ProgramOp>())
      if (failed(plan(program)))
        return signalPassFailure();
  }

  LogicalResult plan(exec::ProgramOp program) {
    Liveness liveness(program);
    ArenaValues values(liveness);
    std::optional<ArenaPlan> plan = planArena(values.ranges);
    int64_t bytes = plan ? plan->bytes : findPeak(values.ranges).bytes;
    int64_t total = addBytes(bytes, bytesOutsideArena(WholeProgram::of(program)));
    if (!plan || (deviceMemory > 0 && total > deviceMemory))
      return refuse(program, values, total);
    if (auto clash = findClash(values.ranges, *plan))
      return values.buffers[clash->first].emitError()
             << "internal error: shares memory with another live buffer";
    Builder builder(program);
    for (auto [buffer, offset] : llvm::zip(values.buffers, plan->offsets))
      buffer.setOffsetAttr(builder.getI64IntegerAttr(offset));
    program.setArenaBytes(ArrayRef<int64_t>{plan->bytes});
    return success();
  }

  /// Says how much is missing, and what is largest of what is allocated at the peak.
  LogicalResult refuse(exec::ProgramOp program, ArenaValues &values, int64_t total) {
    auto error = emitError(program.getLoc())
                 << "the plan needs " << formatBytes(total) << " but the device memory is "
                 << formatBytes(deviceMemory);
    SmallVector<NamedBytes> largest = listMemory(program, values);
    llvm::stable_sort(largest,
                      [](const NamedBytes &a, const NamedBytes &b) { return a.bytes > b.bytes; });
    constexpr size_t numNamed = 4;
    for (const NamedBytes &memory : ArrayRef(largest).take_front(numNamed))
      error.attachNote(memory.loc)
          << "live at the peak: " << memory.what << ", " << formatBytes(memory.bytes);
    return error;
  }
};

} // namespace
} // namespace sheaf::lowering
