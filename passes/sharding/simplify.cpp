// Drops collectives that others make needless, and lets reductions wait for one another.
#include "passes/sharding/loop_invariants.h"
#include "passes/sharding/passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace sheaf::sharding {
#define GEN_PASS_DEF_SHARDINGSIMPLIFYPASS
#include "passes/sharding/passes.h.inc"
} // namespace sheaf::sharding

using namespace mlir;
using namespace sheaf;
using namespace sheaf::dist;

namespace {

/// all_reduce(a) + all_reduce(b) = all_reduce(a + b): partial values stay partial through sums. The
/// same for maxima and minima, and for reduce_scatters along one dim.
template <typename Reduction> struct CombineOnce : OpRewritePattern<graph::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::BinaryOp op, PatternRewriter &rewriter) const override {
    auto lhs = op.getLhs().getDefiningOp<Reduction>();
    auto rhs = op.getRhs().getDefiningOp<Reduction>();
    if (!lhs || !rhs || lhs == rhs || !lhs->hasOneUse() || !rhs->hasOneUse() ||
        lhs->getNumResults() != 1 || rhs->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "not of two reductions that nobody else reads");
    if (lhs->getAttrDictionary() != rhs->getAttrDictionary() ||
        lhs->getOperandTypes() != rhs->getOperandTypes())
      return rewriter.notifyMatchFailure(op, "the reductions differ");
    if (kindOf(op.getKind()) != lhs.getKind())
      return rewriter.notifyMatchFailure(op, "does not commute with the reduction");
    Value first = lhs->getOperand(0), second = rhs->getOperand(0);
    auto local = graph::BinaryOp::create(rewriter, op.getLoc(), first.getType(), op.getKind(),
                                         first, second);
    rewriter.modifyOpInPlace(lhs, [&] {
      lhs->moveAfter(local);
      lhs->setOperand(0, local);
    });
    rewriter.replaceOp(op, lhs);
    return success();
  }

  static std::optional<PartialKind> kindOf(graph::BinaryKind kind) {
    switch (kind) {
    case graph::BinaryKind::add:
      return PartialKind::sum;
    case graph::BinaryKind::max:
      return PartialKind::max;
    case graph::BinaryKind::min:
      return PartialKind::min;
    default:
      return std::nullopt;
    }
  }
};

/// slice(all_gather(x)) = x along the same dim and axes.
struct DropRoundTrip : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto gather = op.getOperand().getDefiningOp<AllGatherOp>();
    if (!gather || gather.getAxes() != op.getAxes())
      return rewriter.notifyMatchFailure(op, "not of a gather along the same axes");
    unsigned index = cast<OpResult>(op.getOperand()).getResultNumber();
    if (gather.getDims()[index] != static_cast<int64_t>(op.getDim()))
      return rewriter.notifyMatchFailure(op, "not of a gather along the same dim");
    rewriter.replaceOp(op, gather->getOperand(index));
    return success();
  }
};

/// slice(all_reduce(x)) = reduce_scatter(x).
struct ScatterInstead : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto reduce = op.getOperand().getDefiningOp<AllReduceOp>();
    if (!reduce || !reduce->hasOneUse() || reduce->getNumResults() != 1 ||
        reduce.getAxes() != op.getAxes())
      return rewriter.notifyMatchFailure(op, "not of a reduction that nobody else reads");
    auto scatter =
        ReduceScatterOp::create(rewriter, op.getLoc(), op.getType(), reduce.getKind(),
                                reduce->getOperand(0), int64_t(op.getDim()), op.getAxes());
    if (Attribute parameters = op->getAttr(kParameters))
      scatter->setAttr(kParameters, parameters);
    rewriter.replaceOp(op, scatter);
    return success();
  }
};

struct Simplify : sharding::impl::ShardingSimplifyPassBase<Simplify> {
  using ShardingSimplifyPassBase::ShardingSimplifyPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns
        .add<CombineOnce<AllReduceOp>, CombineOnce<ReduceScatterOp>, DropRoundTrip, ScatterInstead>(
            &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    // What is the same in every trip is sent once.
    sharding::hoistInvariants(getOperation());
  }
};

} // namespace
