// Converts what depends on the order of the elements along a dim: sorts, extremes, running sums.
#include "passes/lowering/convert/convert.h"
#include "runtime/abi/calls.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

struct ConvertSort : OpRewritePattern<graph::SortOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::SortOp op, PatternRewriter &rewriter) const override {
    CallParams params(getContext());
    params.integer("dim", op.getDim()).flag("descending", op.getDescending());
    return replaceWithCall(rewriter, op, abi::calls::sort, op.getOperand(), params,
                           op.getOperand());
  }
};

struct ConvertTopK : OpRewritePattern<graph::TopKOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::TopKOp op, PatternRewriter &rewriter) const override {
    CallParams params(getContext());
    params.integer("dim", op.getDim());
    if (op.getSmallest())
      params.integer("largest", 0);
    return replaceWithCall(rewriter, op, abi::calls::topk, op.getOperand(), params,
                           op.getOperand());
  }
};

struct ConvertArgReduce : OpRewritePattern<graph::ArgReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::ArgReduceOp op, PatternRewriter &rewriter) const override {
    CallParams params(getContext());
    params.text("kind", stringifyReduceKind(op.getKind()))
        .integer("dim", op.getDim())
        .flag("last", op.getLast());
    return replaceWithCall(rewriter, op, abi::calls::argReduce, op.getOperand(), params,
                           op.getOperand());
  }
};

struct ConvertCumulative : OpRewritePattern<graph::CumulativeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::CumulativeOp op, PatternRewriter &rewriter) const override {
    CallParams params(getContext());
    params.text("kind", stringifyReduceKind(op.getKind()))
        .integer("dim", op.getDim())
        .flag("exclusive", op.getExclusive())
        .flag("reverse", op.getReverse());
    return replaceWithCall(rewriter, op, abi::calls::cumulative, op.getOperand(), params,
                           op.getOperand());
  }
};

} // namespace

void populateOrderPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertSort, ConvertTopK, ConvertArgReduce, ConvertCumulative>(
      patterns.getContext());
}

} // namespace sheaf::lowering
