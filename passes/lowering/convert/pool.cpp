// Converts pooling.
#include "passes/lowering/convert/convert.h"
#include "runtime/abi/calls.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

template <typename Op> CallParams windowParams(Op op) {
  CallParams params(op.getContext());
  params.ints("window", op.getWindow())
      .ints("strides", op.getStrides())
      .ints("dilations", op.getDilations())
      .ints("padding_low", op.getPaddingLow())
      .ints("padding_high", op.getPaddingHigh());
  return params;
}

struct ConvertPool : OpRewritePattern<graph::PoolOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::PoolOp op, PatternRewriter &rewriter) const override {
    CallParams params = windowParams(op);
    params.text("kind", stringifyPoolKind(op.getKind()));
    return replaceWithCall(rewriter, op, abi::calls::pool, op.getOperand(), params,
                           op.getOperand());
  }
};

struct ConvertPoolArgmax : OpRewritePattern<graph::PoolArgmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::PoolArgmaxOp op, PatternRewriter &rewriter) const override {
    CallParams params = windowParams(op);
    if (op.getColumnMajor())
      params.integer("storage_order", 1);
    return replaceWithCall(rewriter, op, abi::calls::poolArgmax, op.getOperand(), params,
                           op.getOperand());
  }
};

} // namespace

void populatePoolPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertPool, ConvertPoolArgmax>(patterns.getContext());
}

} // namespace sheaf::lowering
