// Converts resizing.
#include "passes/lowering/convert/convert.h"
#include "runtime/abi/calls.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

struct ConvertResize : OpRewritePattern<graph::ResizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::ResizeOp op, PatternRewriter &rewriter) const override {
    CallParams params(getContext());
    params.text("mode", stringifyResizeMode(op.getMode()))
        .floats("scales", op.getScales())
        .text("coordinates", stringifyResizeCoordinates(op.getCoordinates()))
        .text("nearest", stringifyResizeRounding(op.getRounding()))
        .real("cubic_coeff_a", op.getCubicCoefficient().convertToDouble())
        .flag("exclude_outside", op.getExcludeOutside())
        .flag("antialias", op.getAntialias())
        .real("extrapolation_value", op.getExtrapolation().convertToDouble());
    if (!op.getRegion().empty())
      params.floats("roi", op.getRegion());
    return replaceWithCall(rewriter, op, abi::calls::resize, op.getOperand(), params,
                           op.getOperand());
  }
};

} // namespace

void populateResizePatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertResize>(patterns.getContext());
}

} // namespace sheaf::lowering
