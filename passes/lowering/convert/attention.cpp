// Converts attention and its gradient. A gradient of the mask, which needs all weights, has no call, nor has on GPUs
// attention of wide heads.
#include "passes/lowering/call_rules.h"
#include "passes/lowering/convert/convert.h"
#include "runtime/abi/cuda_calls.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

/// The calls take masks of the query's type, and of f32 to 16-bit queries.
template <typename Op> void castMask(Op op, PatternRewriter &rewriter) {
  Value mask = op.getMask();
  if (!mask)
    return;
  Type query = op.getQuery().getType().getElementType(), f32 = rewriter.getF32Type();
  auto type = cast<RankedTensorType>(mask.getType());
  bool isNarrow = query.getIntOrFloatBitWidth() == 16;
  if (type.getElementType() == query || (isNarrow && type.getElementType() == f32))
    return;
  Value converted =
      graph::CastOp::create(rewriter, op.getLoc(), type.clone(isNarrow ? f32 : query), mask);
  rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().assign(converted); });
}

template <typename Op> LogicalResult convert(Op op, StringRef callee, PatternRewriter &rewriter) {
  if (!acceptsElement(callee, op.getQuery().getType().getElementType()))
    return rewriter.notifyMatchFailure(op, "the call does not compute on elements of its type");
  castMask(op, rewriter);
  CallParams params(op.getContext());
  params.real("scale", op.getScale().convertToDouble())
      .flag("causal", op.getCausal())
      .flag("has_mask", op.getMask() != nullptr);
  if (!op.getSoftcap().isZero())
    params.real("softcap", op.getSoftcap().convertToDouble());
  return replaceWithCall(rewriter, op, callee, op->getOperands(), params, op.getQuery());
}

struct ConvertAttention : OpRewritePattern<graph::AttentionOp> {
  ConvertAttention(MLIRContext *context, Device device)
      : OpRewritePattern(context), device(device) {}
  LogicalResult matchAndRewrite(graph::AttentionOp op, PatternRewriter &rewriter) const override {
    if (device == Device::cuda &&
        op.getValue().getType().getShape().back() > abi::cudaMaxAttentionDepth)
      return rewriter.notifyMatchFailure(op, "the device's call has no heads as wide as that");
    return convert(op, abi::calls::attention, rewriter);
  }

  Device device;
};

struct ConvertAttentionGrad : OpRewritePattern<graph::AttentionGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::AttentionGradOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNeedsMaskGrad())
      return rewriter.notifyMatchFailure(op, "the call has no gradient of the mask");
    return convert(op, abi::calls::attentionGradient, rewriter);
  }
};

} // namespace

void populateAttentionPatterns(RewritePatternSet &patterns, Device device) {
  patterns.add<ConvertAttention>(patterns.getContext(), device);
  patterns.add<ConvertAttentionGrad>(patterns.getContext());
}

} // namespace sheaf::lowering
