// Takes shardings away: what is left is the program of one device.
#include "dialects/dist/dist.h"
#include "passes/sharding/passes.h"

namespace sheaf::sharding {
#define GEN_PASS_DEF_SHARDINGSTRIPPASS
#include "passes/sharding/passes.h.inc"
} // namespace sheaf::sharding

using namespace mlir;
using namespace sheaf::dist;

namespace {

struct Strip : sheaf::sharding::impl::ShardingStripPassBase<Strip> {
  using ShardingStripPassBase::ShardingStripPassBase;

  void runOnOperation() override {
    WalkResult walked = getOperation()->walk([](ManualOp manual) {
      manual.emitOpError("is what one of several ranks does; one device has no program for it");
      return WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (unsigned i : llvm::seq(function.getNumArguments())) {
        if (function.getArgAttr(i, kWhole)) {
          function.emitOpError("is partitioned: its tensors are blocks of several ranks");
          return signalPassFailure();
        }
        function.removeArgAttr(i, kSharding);
        function.removeArgAttr(i, kGroup);
      }
      for (unsigned i : llvm::seq(function.getNumResults()))
        function.removeResultAttr(i, kSharding);
    }
    getOperation()->walk([](Operation *op) {
      op->removeAttr(kShardings);
      op->removeAttr(kBlocked);
      op->removeAttr(kParameters);
      op->removeAttr(kGatheredAgain);
      if (!isa<ConstraintOp, BarrierOp, ReshardOp, MarkOp, FenceOp>(op))
        return;
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    });
    for (auto mesh : llvm::make_early_inc_range(getOperation().getOps<MeshOp>()))
      mesh.erase();
  }
};

} // namespace
