// Repeats the bodies of loops, so that programs are straight lists of instructions.
#include "passes/lowering/passes.h"
#include "passes/lowering/unroll_loop.h"

namespace sheaf::lowering {
#define GEN_PASS_DEF_LOWERINGUNROLLLOOPSPASS
#include "passes/lowering/passes.h.inc"

using namespace mlir;

namespace {

struct UnrollLoops : impl::LoweringUnrollLoopsPassBase<UnrollLoops> {
  using LoweringUnrollLoopsPassBase::LoweringUnrollLoopsPassBase;

  void runOnOperation() override {
    // Innermost first, as the walk goes.
    SmallVector<graph::LoopOp> loops;
    getOperation().walk([&](graph::LoopOp loop) { loops.push_back(loop); });
    for (graph::LoopOp loop : loops)
      if (failed(unrollLoop(loop)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace sheaf::lowering
