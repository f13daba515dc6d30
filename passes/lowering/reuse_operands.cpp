// Lets instructions overwrite an operand that nothing reads later, instead of using new memory.
#include "passes/analysis/liveness.h"
#include "passes/lowering/kernel/kernel_dialects.h"
#include "passes/lowering/overwrite.h"
#include "passes/lowering/passes.h"

namespace sheaf::lowering {
#define GEN_PASS_DEF_LOWERINGREUSEOPERANDSPASS
#include "passes/lowering/passes.h.inc"

using namespace mlir;

namespace {

struct ReuseOperands : impl::LoweringReuseOperandsPassBase<ReuseOperands> {
  using LoweringReuseOperandsPassBase::LoweringReuseOperandsPassBase;

  void runOnOperation() override {
    OverwriteRules rules(getOperation(), device);
    for (auto program : getOperation().getOps<exec::ProgramOp>())
      run(program, rules);
  }

  void run(exec::ProgramOp program, OverwriteRules &rules);
};

void ReuseOperands::run(exec::ProgramOp program, OverwriteRules &rules) {
  Liveness liveness(program);
  for (auto [step, instruction] : llvm::enumerate(liveness.instructions)) {
    auto isWholeArenaBuffer = [&](Value buffer) {
      return buffer.getDefiningOp<exec::BufferOp>() != nullptr;
    };
    for (unsigned out = 0; out < writtenBuffers(instruction).size(); ++out) {
      Value written = writtenBuffers(instruction)[out];
      int64_t now = step;
      if (!isWholeArenaBuffer(written) || liveness.ranges.lookup(written).begin != now)
        continue;
      for (unsigned in = 0; in < readBuffers(instruction).size(); ++in) {
        Value read = readBuffers(instruction)[in];
        bool isDead = isWholeArenaBuffer(read) && read.getType() == written.getType() &&
                      liveness.ranges.lookup(read).end == now;
        if (!isDead || !rules.mayOverwrite(instruction, in, out))
          continue;
        liveness.ranges[read].end = liveness.ranges[written].end;
        Operation *old = written.getDefiningOp();
        if (old->isBeforeInBlock(read.getDefiningOp()))
          read.getDefiningOp()->moveBefore(old);
        written.replaceAllUsesWith(read);
        old->erase();
        break;
      }
    }
  }
}

} // namespace
} // namespace sheaf::lowering
