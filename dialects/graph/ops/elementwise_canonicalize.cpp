// Canonical forms of elementwise ops.
#include "dialects/graph/graph.h"
#include "dialects/graph/rounding.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

bool isUnsigned(Type type) { return type.isUnsignedInteger() || type.isInteger(1); }

/// Whether every value of type `from` is one of type `to`.
bool holdsAll(Type from, Type to) {
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromFloat && toFloat)
    return APFloat::isRepresentableBy(fromFloat.getFloatSemantics(), toFloat.getFloatSemantics());
  if (fromFloat)
    return false;
  unsigned digits = from.getIntOrFloatBitWidth() - !isUnsigned(from);
  if (toFloat) // Narrower floats have too small a range for their digits.
    return toFloat.getWidth() > 8 &&
           digits <= APFloat::semanticsPrecision(toFloat.getFloatSemantics());
  return to.getIntOrFloatBitWidth() - !isUnsigned(to) >= digits &&
         (isUnsigned(from) || !isUnsigned(to));
}

/// Whether two casts between integers only drop high bits.
bool isWrapOfWrap(Type from, Type through, Type to) {
  return from.isInteger() && through.isInteger() && to.isInteger() && !to.isInteger(1) &&
         !through.isInteger(1) && through.getIntOrFloatBitWidth() >= to.getIntOrFloatBitWidth();
}

} // namespace

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
    if (op->hasAttr(kRounds))
      return rewriter.notifyMatchFailure(op, "what kernels hold of the operand may be wider");
    Type from = inner.getOperand().getType().getElementType();
    Type through = inner.getType().getElementType();
    if (!holdsAll(from, through) && !isWrapOfWrap(from, through, op.getType().getElementType()))
      return rewriter.notifyMatchFailure(op, "the first cast may change the value");
    rewriter.replaceOpWithNewOp<CastOp>(op, op.getType(), inner.getOperand(), op.getSaturate());
    return success();
  });
}
