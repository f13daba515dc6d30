// Canonical forms of elementwise ops.
#include "dialects/graph/graph.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace sheaf::graph;

void UnaryOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(+[](UnaryOp op, PatternRewriter &rewriter) -> LogicalResult {
    auto inner = op.getOperand().getDefiningOp<UnaryOp>();
    if (op.getKind() != UnaryKind::abs || !inner || inner.getKind() != UnaryKind::neg)
      return rewriter.notifyMatchFailure(op, "not the absolute value of a negation");
    rewriter.modifyOpInPlace(op, [&] { op.getOperandMutable().assign(inner.getOperand()); });
    return success();
  });
}

void BinaryOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(+[](BinaryOp op, PatternRewriter &rewriter) -> LogicalResult {
    bool isCommutative = llvm::is_contained({BinaryKind::add, BinaryKind::mul, BinaryKind::max,
                                             BinaryKind::min, BinaryKind::bitwise_and,
                                             BinaryKind::bitwise_or, BinaryKind::bitwise_xor},
                                            op.getKind());
    auto isConstant = [](Value value) { return value.getDefiningOp<ConstantOp>() != nullptr; };
    if (!isCommutative || !isConstant(op.getLhs()) || isConstant(op.getRhs()))
      return rewriter.notifyMatchFailure(op, "no constant to move to the right");
    rewriter.modifyOpInPlace(op, [&] {
      Value lhs = op.getLhs();
      op.getLhsMutable().assign(op.getRhs());
      op.getRhsMutable().assign(lhs);
    });
    return success();
  });
}

void CastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(+[](CastOp op, PatternRewriter &rewriter) -> LogicalResult {
    auto inner = op.getOperand().getDefiningOp<CastOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "operand is no cast");
    auto from = dyn_cast<FloatType>(inner.getOperand().getType().getElementType());
    auto through = dyn_cast<FloatType>(inner.getType().getElementType());
    if (!from || !through ||
        !APFloat::isRepresentableBy(from.getFloatSemantics(), through.getFloatSemantics()))
      return rewriter.notifyMatchFailure(op, "the first cast may change the value");
    rewriter.replaceOpWithNewOp<CastOp>(op, op.getType(), inner.getOperand(), op.getSaturate());
    return success();
  });
}
