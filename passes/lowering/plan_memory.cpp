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
    int64_t total = addBytes(bytes, MemoryReport::bytesOutsideArena(program));
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

  /// Says how much is missing, and what is live at the peak.
  LogicalResult refuse(exec::ProgramOp program, ArenaValues &values, int64_t total) {
    auto error = emitError(program.getLoc())
                 << "the plan needs " << formatBytes(total) << " but the device memory is "
                 << formatBytes(deviceMemory);
    Peak peak = findPeak(values.ranges);
    constexpr size_t numNamed = 4;
    for (unsigned index : ArrayRef(peak.ranges).take_front(numNamed))
      error.attachNote(values.buffers[index].getLoc())
          << "live at the peak: " << formatBytes(values.ranges[index].bytes);
    return error;
  }
};

} // namespace
} // namespace sheaf::lowering
