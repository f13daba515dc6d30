// Lets a call apply the activation that follows it.
#include "passes/lowering/epilogue/epilogue.h"

#include "runtime/abi/calls.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

/// The call's name of an activation; empty when it has none.
StringRef activationName(graph::UnaryKind kind) {
  switch (kind) {
  case graph::UnaryKind::relu:
  case graph::UnaryKind::gelu_erf:
  case graph::UnaryKind::gelu_tanh:
  case graph::UnaryKind::silu:
  case graph::UnaryKind::tanh:
  case graph::UnaryKind::sigmoid:
    return stringifyUnaryKind(kind);
  default:
    return "";
  }
}

/// Whether a call may apply `op`. The library's relu makes 0 of NaN: in training, parameters that are no numbers any
/// more would go on with a loss and gradients that are.
bool isApplicable(graph::UnaryOp op) {
  auto function = op->getParentOfType<func::FuncOp>();
  return op.getKind() != graph::UnaryKind::relu || !function ||
         !function->hasAttr(graph::kMicroBatches);
}

/// Whether the libraries of GPUs have the activation: cuBLASLt two of them, cuDNN one.
bool hasCudaEpilogue(exec::ApplyOp call, graph::UnaryKind kind) {
  return kind == graph::UnaryKind::relu ||
         (kind == graph::UnaryKind::gelu_tanh && call.getCallee() == abi::calls::contract);
}

struct AbsorbActivation : OpRewritePattern<graph::UnaryOp> {
  AbsorbActivation(MLIRContext *context, Device device)
      : OpRewritePattern(context), device(device) {}
  LogicalResult matchAndRewrite(graph::UnaryOp op, PatternRewriter &rewriter) const override {
    StringRef name = activationName(op.getKind());
    if (name.empty() || !isa<FloatType>(getElementTypeOrSelf(op.getType())))
      return rewriter.notifyMatchFailure(op, "no call applies this function");
    if (!isApplicable(op))
      return rewriter.notifyMatchFailure(op, "a relu of the library, in training");
    exec::ApplyOp call = findUnfinishedCall(op.getOperand());
    if (!call)
      return rewriter.notifyMatchFailure(op, "not the only user of a call");
    if (device == Device::cuda && !hasCudaEpilogue(call, op.getKind()))
      return rewriter.notifyMatchFailure(op, "not an epilogue of the device's libraries");
    absorb(rewriter, op, call, call.getIns().size(), {})
        .setParam("activation", rewriter.getStringAttr(name));
    return success();
  }

  Device device;
};

} // namespace

void populateActivationPatterns(RewritePatternSet &patterns, Device device) {
  patterns.add<AbsorbActivation>(patterns.getContext(), device);
}

} // namespace sheaf::lowering
