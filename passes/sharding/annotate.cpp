// Writes each op's sharding rule on the op, through ShardingRuleOpInterface alone.
#include "passes/sharding/passes.h"

namespace sheaf::sharding {
#define GEN_PASS_DEF_SHARDINGANNOTATEPASS
#include "passes/sharding/passes.h.inc"
} // namespace sheaf::sharding

using namespace mlir;

namespace {

struct Annotate : sheaf::sharding::impl::ShardingAnnotatePassBase<Annotate> {
  using ShardingAnnotatePassBase::ShardingAnnotatePassBase;

  void runOnOperation() override {
    bool anyFailed = false; // Keep going: one run reports every such op.
    getOperation()->walk([&](Operation *op) { anyFailed |= failed(annotate(op)); });
    if (anyFailed)
      signalPassFailure();
  }

private:
  LogicalResult annotate(Operation *op) {
    auto ruled = dyn_cast<sheaf::ShardingRuleOpInterface>(op);
    if (!ruled) {
      if (strict && llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>))
        return op->emitOpError("has no sharding rule; use strict=false to replicate it");
      return success();
    }
    sheaf::FactorRule rule = ruled.getShardingRule();
    if (llvm::Error error =
            rule.check(shapesOf(op->getOperandTypes()), shapesOf(op->getResultTypes())))
      return op->emitOpError("sharding rule \"")
             << rule.str() << "\" " << llvm::toString(std::move(error));
    op->setAttr("sharding.rule", StringAttr::get(&getContext(), rule.str()));
    return success();
  }

  static SmallVector<ArrayRef<int64_t>> shapesOf(TypeRange types) {
    return llvm::map_to_vector(types,
                               [](Type type) { return cast<RankedTensorType>(type).getShape(); });
  }
};

} // namespace
