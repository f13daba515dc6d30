// Converts attention. One with a softcap, and on GPUs one of wide heads, has no call and is decomposed.
#include "passes/lowering/convert/convert.h"
#include "runtime/abi/cuda_calls.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

/// The call takes masks of the query's type, and of f32 to 16-bit queries.
void castMask(graph::AttentionOp op, Value mask, PatternRewriter &rewriter) {
  Type query = op.getQuery().getType().getElementType(), f32 = rewriter.getF32Type();
  auto type = cast<RankedTensorType>(mask.getType());
  bool isNarrow = query.getIntOrFloatBitWidth() == 16;
  if (type.getElementType() == query || (isNarrow && type.getElementType() == f32))
    return;
  Value converted =
      graph::CastOp::create(rewriter, op.getLoc(), type.clone(isNarrow ? f32 : query), mask);
  rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().assign(converted); });
}

struct ConvertAttention : OpRewritePattern<graph::AttentionOp> {
  ConvertAttention(MLIRContext *context, Device device)
      : OpRewritePattern(context), device(device) {}
  LogicalResult matchAndRewrite(graph::AttentionOp op, PatternRewriter &rewriter) const override {
    if (!op.getSoftcap().isZero())
      return rewriter.notifyMatchFailure(op, "the call has no softcap");
    if (device == Device::cuda &&
        op.getValue().getType().getShape().back() > abi::cudaMaxAttentionDepth)
      return rewriter.notifyMatchFailure(op, "the device's call has no heads as wide as that");
    if (Value mask = op.getMask())
      castMask(op, mask, rewriter);
    CallParams params(getContext());
    params.real("scale", op.getScale().convertToDouble())
        .flag("causal", op.getCausal())
        .flag("has_mask", op.getMask() != nullptr);
    return replaceWithCall(rewriter, op, abi::calls::attention, op->getOperands(), params,
                           op.getQuery());
  }

  Device device;
};

} // namespace

void populateAttentionPatterns(RewritePatternSet &patterns, Device device) {
  patterns.add<ConvertAttention>(patterns.getContext(), device);
}

} // namespace sheaf::lowering
