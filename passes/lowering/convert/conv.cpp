// Converts convolutions and their input gradients.
#include "passes/lowering/convert/convert.h"
#include "runtime/abi/calls.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

template <typename Op> CallParams windowParams(Op op) {
  CallParams params(op.getContext());
  params.ints("strides", op.getStrides())
      .ints("dilations", op.getDilations())
      .ints("padding_low", op.getPaddingLow())
      .ints("padding_high", op.getPaddingHigh());
  if (op.getGroups() != 1)
    params.integer("groups", op.getGroups());
  return params;
}

struct ConvertConv : OpRewritePattern<graph::ConvOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::ConvOp op, PatternRewriter &rewriter) const override {
    return replaceWithCall(rewriter, op, abi::calls::conv, {op.getInput(), op.getFilter()},
                           windowParams(op), op.getInput());
  }
};

struct ConvertConvInputGrad : OpRewritePattern<graph::ConvInputGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::ConvInputGradOp op,
                                PatternRewriter &rewriter) const override {
    return replaceWithCall(rewriter, op, abi::calls::convTranspose,
                           {op.getOutputGrad(), op.getFilter()}, windowParams(op),
                           op.getOutputGrad());
  }
};

} // namespace

void populateConvPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertConv, ConvertConvInputGrad>(patterns.getContext());
}

} // namespace sheaf::lowering
