// Recognizes composite ops that are spelled out in primitive ones.
#include "passes/graph/passes.h"
#include "passes/graph/raise_patterns.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace sheaf::graph {
#define GEN_PASS_DEF_GRAPHRAISEPASS
#include "passes/graph/passes.h.inc"
} // namespace sheaf::graph

using namespace mlir;
using namespace sheaf::graph;

namespace {

struct Raise : sheaf::graph::impl::GraphRaisePassBase<Raise> {
  using GraphRaisePassBase::GraphRaisePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    // Takes transposes and chains of reshapes out of the way.
    ContractOp::getCanonicalizationPatterns(set, context);
    ReshapeOp::getCanonicalizationPatterns(set, context);
    populateRaiseActivationPatterns(set);
    populateRaiseSoftmaxPatterns(set);
    populateRaiseNormPatterns(set);
    populateRaiseAttentionPatterns(set);
    populateRaiseRotaryPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    // Patterns compare values by identity; exporters compute some twice.
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    if (failed(applyPatternsGreedily(getOperation(), patterns))) {
      getOperation()->emitError("raising composites did not come to an end");
      signalPassFailure();
    }
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
