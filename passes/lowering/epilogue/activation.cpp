// Lets a call apply the activation that follows it.
#include "passes/lowering/epilogue/epilogue.h"

#include "runtime/abi/calls.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

/// The call's name of an activation; empty when it has none.
///
/// Relu and sigmoid are not among them: the library's make 0 of NaN, and a model whose numbers are none any more would
/// go on with numbers. For the same reason there is none of cuBLASLt's pair of relu with a mask and the gradient by
/// that mask (RELU_AUX, DRELU): the mask also counts 0 among what passes, where the gradient of relu is 0
/// here as in PyTorch and JAX, and its rows are multiples of 128 bits. A kernel needs no mask: the result tells.
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

/// On GPUs: of the activations cuBLASLt has gelu_tanh; what it is applied to can be a second result.
struct AbsorbGelu : OpRewritePattern<graph::UnaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::UnaryOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != graph::UnaryKind::gelu_tanh)
      return rewriter.notifyMatchFailure(op, "not an epilogue of the device's library");
    StringAttr name = rewriter.getStringAttr(stringifyUnaryKind(op.getKind()));
    if (exec::ApplyOp call = findUnfinishedCall(throughOwnReshapes(op.getOperand()))) {
      if (!takesGelu(call))
        return rewriter.notifyMatchFailure(op, "not of a product of this type");
      absorb(rewriter, op, call, call.getIns().size(), {}).setParam("activation", name);
      return success();
    }
    auto call = throughReshapes(op.getOperand()).getDefiningOp<exec::ApplyOp>();
    if (!call || call.getNumResults() != 1 || call.getParam("activation") ||
        call.getParam("derivative") || !takesPreactivation(call))
      return rewriter.notifyMatchFailure(op,
                                         "not of a product that can keep what it is applied to");
    keepPreactivation(op, call, name, rewriter);
    return success();
  }

  void keepPreactivation(graph::UnaryOp op, exec::ApplyOp call, StringAttr name,
                         PatternRewriter &rewriter) const {
    rewriter.setInsertionPoint(call);
    Type type = call.getResultTypes()[0];
    auto both = exec::ApplyOp::create(rewriter, rewriter.getFusedLoc({call.getLoc(), op->getLoc()}),
                                      TypeRange{type, type}, call.getCallee(), call.getIns(),
                                      call.getParamsAttr());
    both.setParam("activation", name);
    both.setParam("keeps_preactivation", rewriter.getBoolAttr(true));
    rewriter.replaceOp(op, reshaped(rewriter, op.getLoc(), both.getResult(0), op.getType()));
    rewriter.replaceOp(call, both.getResult(1));
  }
};

} // namespace

void populateActivationPatterns(RewritePatternSet &patterns, Device device) {
  if (device == Device::host)
    patterns.add<AbsorbActivation>(patterns.getContext());
  else
    patterns.add<AbsorbGelu>(patterns.getContext());
}

} // namespace sheaf::lowering
