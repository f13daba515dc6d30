// Lets a contraction multiply its result by a constant.
#include "passes/lowering/epilogue/epilogue.h"

#include "mlir/IR/Matchers.h"
#include "runtime/abi/calls.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

/// The value that all elements have, when that is known.
std::optional<double> floatOfAll(Value value) {
  while (auto broadcast = value.getDefiningOp<graph::BroadcastOp>())
    value = broadcast.getOperand();
  DenseFPElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  APFloat element = elements.getSplatValue<APFloat>();
  bool losesInfo;
  element.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return element.convertToDouble();
}

struct AbsorbScale : OpRewritePattern<graph::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::BinaryOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != graph::BinaryKind::mul)
      return rewriter.notifyMatchFailure(op, "not a multiplication");
    for (bool isLhs : {true, false}) {
      exec::ApplyOp call = findUnfinishedCall(isLhs ? op.getLhs() : op.getRhs());
      std::optional<double> scale = floatOfAll(isLhs ? op.getRhs() : op.getLhs());
      if (!call || !scale || call.getCallee() != abi::calls::contract ||
          call.getParam("has_bias") || call.getParam("alpha"))
        continue;
      absorb(rewriter, op, call, call.getIns().size(), {})
          .setParam("alpha", rewriter.getF64FloatAttr(*scale));
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no contraction times a constant");
  }
};

} // namespace

void populateScalePatterns(RewritePatternSet &patterns) {
  patterns.add<AbsorbScale>(patterns.getContext());
}

} // namespace sheaf::lowering
