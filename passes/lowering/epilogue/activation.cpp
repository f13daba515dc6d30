// Lets a call apply the activation that follows it.
#include "passes/lowering/epilogue/epilogue.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

/// The call's name of an activation; empty when it has none. Relu and sigmoid are not among them: the library's make 0
/// of NaN, and a model whose numbers are none any more would go on with numbers.
StringRef activationName(graph::UnaryKind kind) {
  switch (kind) {
  case graph::UnaryKind::gelu_erf:
  case graph::UnaryKind::gelu_tanh:
  case graph::UnaryKind::silu:
  case graph::UnaryKind::tanh:
    return stringifyUnaryKind(kind);
  default:
    return "";
  }
}

struct AbsorbActivation : OpRewritePattern<graph::UnaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::UnaryOp op, PatternRewriter &rewriter) const override {
    StringRef name = activationName(op.getKind());
    if (name.empty() || !isa<FloatType>(getElementTypeOrSelf(op.getType())))
      return rewriter.notifyMatchFailure(op, "no call applies this function");
    exec::ApplyOp call = findUnfinishedCall(op.getOperand());
    if (!call)
      return rewriter.notifyMatchFailure(op, "not the only user of a call");
    absorb(rewriter, op, call, call.getIns().size(), {})
        .setParam("activation", rewriter.getStringAttr(name));
    return success();
  }
};

} // namespace

void populateActivationPatterns(RewritePatternSet &patterns) {
  patterns.add<AbsorbActivation>(patterns.getContext());
}

} // namespace sheaf::lowering
