// Converts attention; one with a softcap has no call and is decomposed before.
#include "passes/lowering/convert/convert.h"
#include "runtime/abi/calls.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

struct ConvertAttention : OpRewritePattern<graph::AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::AttentionOp op, PatternRewriter &rewriter) const override {
    if (!op.getSoftcap().isZero())
      return rewriter.notifyMatchFailure(op, "the call has no softcap");
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
