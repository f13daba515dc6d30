// Converts the casts that generated kernels do not do: those to or from 4- and 8-bit floats and odd integers.
#include "passes/lowering/convert/convert.h"
#include "runtime/abi/calls.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

/// Kernels compute on booleans, whole-byte integers and floats of 16 bits or more.
bool isNarrow(Type type) {
  int64_t bits = type.getIntOrFloatBitWidth();
  return isa<FloatType>(type) ? bits < 16 : bits > 1 && bits < 8;
}

struct ConvertCast : OpRewritePattern<graph::CastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::CastOp op, PatternRewriter &rewriter) const override {
    Type from = op.getOperand().getType().getElementType(), to = op.getType().getElementType();
    if (!isNarrow(from) && !isNarrow(to))
      return rewriter.notifyMatchFailure(op, "generated kernels do this cast");
    CallParams params(getContext());
    if (!op.getSaturate())
      params.integer("saturate", 0);
    return replaceWithCall(rewriter, op, abi::calls::cast, op.getOperand(), params,
                           op.getOperand());
  }
};

} // namespace

void populateCastPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertCast>(patterns.getContext());
}

} // namespace sheaf::lowering
