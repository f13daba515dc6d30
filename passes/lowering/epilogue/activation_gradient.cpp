// Lets a contraction multiply its result, a gradient, by the derivative of the activation before.
#include "passes/lowering/epilogue/epilogue.h"

#include "passes/lowering/epilogue/derivative.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

/// What a cast is of, when only the cast is used and it makes a narrower float an f32; else the value.
Value throughOwnWidening(Value value) {
  auto cast = value.getDefiningOp<graph::CastOp>();
  return cast && value.hasOneUse() && getElementTypeOrSelf(value).isF32() ? cast.getOperand()
                                                                          : value;
}

Value throughWidening(Value value) {
  auto cast = value.getDefiningOp<graph::CastOp>();
  return cast && getElementTypeOrSelf(value).isF32() ? cast.getOperand() : value;
}

/// `op` is `product`, or rounds it to the type of the gradient.
LogicalResult absorbDerivative(Operation *op, graph::BinaryOp product, PatternRewriter &rewriter) {
  if (product.getKind() != graph::BinaryKind::mul)
    return rewriter.notifyMatchFailure(op, "not a product");
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  for (bool isLhs : {true, false}) {
    Value gradient = isLhs ? product.getLhs() : product.getRhs();
    exec::ApplyOp call = findUnfinishedCall(throughOwnReshapes(throughOwnWidening(gradient)));
    if (!call || call.getParam("has_bias") || call.getParam("alpha") || !takesPreactivation(call) ||
        getElementTypeOrSelf(call.getResultTypes()[0]) != type.getElementType())
      continue;
    Value preactivation = geluTanhDerivativeOperand(isLhs ? product.getRhs() : product.getLhs());
    if (!preactivation)
      continue;
    preactivation = throughReshapes(throughWidening(preactivation));
    auto callType = cast<RankedTensorType>(call.getResultTypes()[0]);
    if (getElementTypeOrSelf(preactivation) != callType.getElementType())
      continue;
    preactivation = reshaped(rewriter, op->getLoc(), preactivation, callType);
    absorb(rewriter, op, call, call.getIns().size(), preactivation)
        .setParam("derivative",
                  rewriter.getStringAttr(stringifyUnaryKind(graph::UnaryKind::gelu_tanh)));
    return success();
  }
  return rewriter.notifyMatchFailure(op, "no product of a call and a derivative");
}

struct AbsorbOfWide : OpRewritePattern<graph::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::BinaryOp op, PatternRewriter &rewriter) const override {
    return absorbDerivative(op, op, rewriter);
  }
};

/// Gradients of 16 bits are computed in f32 and rounded.
struct AbsorbOfNarrow : OpRewritePattern<graph::CastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::CastOp op, PatternRewriter &rewriter) const override {
    auto product = op.getOperand().getDefiningOp<graph::BinaryOp>();
    if (!product || !product->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not the only user of a product");
    return absorbDerivative(op, product, rewriter);
  }
};

} // namespace

void populateActivationGradientPatterns(RewritePatternSet &patterns) {
  patterns.add<AbsorbOfWide, AbsorbOfNarrow>(patterns.getContext());
}

} // namespace sheaf::lowering
