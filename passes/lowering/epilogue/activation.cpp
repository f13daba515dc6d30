// Lets a call apply the activation that follows it.
#include "passes/lowering/epilogue/epilogue.h"

#include "runtime/abi/calls.h"

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

/// Whether the libraries of GPUs have the activation: cuBLASLt this one, but not in f64.
bool hasCudaEpilogue(exec::ApplyOp call, graph::UnaryKind kind) {
  return kind == graph::UnaryKind::gelu_tanh && call.getCallee() == abi::calls::contract &&
         !getElementTypeOrSelf(call.getResultTypes().front()).isF64();
}

struct AbsorbActivation : OpRewritePattern<graph::UnaryOp> {
  AbsorbActivation(MLIRContext *context, Device device)
      : OpRewritePattern(context), device(device) {}
  LogicalResult matchAndRewrite(graph::UnaryOp op, PatternRewriter &rewriter) const override {
    StringRef name = activationName(op.getKind());
    if (name.empty() || !isa<FloatType>(getElementTypeOrSelf(op.getType())))
      return rewriter.notifyMatchFailure(op, "no call applies this function");
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
