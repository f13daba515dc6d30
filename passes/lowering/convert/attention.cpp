// Converts attention; one with a softcap has no call and is decomposed before.
#include "passes/lowering/convert/convert.h"
#include "runtime/abi/calls.h"

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
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::AttentionOp op, PatternRewriter &rewriter) const override {
    if (!op.getSoftcap().isZero())
      return rewriter.notifyMatchFailure(op, "the call has no softcap");
    if (Value mask = op.getMask())
      castMask(op, mask, rewriter);
    CallParams params(getContext());
    params.real("scale", op.getScale().convertToDouble())
        .flag("causal", op.getCausal())
        .flag("has_mask", op.getMask() != nullptr);
    return replaceWithCall(rewriter, op, abi::calls::attention, op->getOperands(), params,
                           op.getQuery());
  }
};

} // namespace

void populateAttentionPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertAttention>(patterns.getContext());
}

} // namespace sheaf::lowering
