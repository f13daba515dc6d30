// Canonical forms of movement ops: chains of the same op become one.
#include "dialects/graph/graph.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace sheaf::graph;

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(+[](ReshapeOp op, PatternRewriter &rewriter) -> LogicalResult {
    auto inner = op.getOperand().getDefiningOp<ReshapeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "operand is no reshape");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getOperand());
    return success();
  });
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(+[](TransposeOp op, PatternRewriter &rewriter) -> LogicalResult {
    auto inner = op.getOperand().getDefiningOp<TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "operand is no transpose");
    SmallVector<int64_t> permutation;
    for (int64_t dim : op.getPermutation())
      permutation.push_back(inner.getPermutation()[dim]);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), inner.getOperand(), permutation);
    return success();
  });
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(+[](BroadcastOp op, PatternRewriter &rewriter) -> LogicalResult {
    auto inner = op.getOperand().getDefiningOp<BroadcastOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "operand is no broadcast");
    SmallVector<int64_t> dims;
    for (int64_t dim : inner.getDims())
      dims.push_back(op.getDims()[dim]);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getOperand(), dims);
    return success();
  });
}

void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(+[](SliceOp op, PatternRewriter &rewriter) -> LogicalResult {
    auto inner = op.getOperand().getDefiningOp<SliceOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "operand is no slice");
    if (op.getType().getNumElements() == 0)
      return rewriter.notifyMatchFailure(op, "nothing is left");
    SmallVector<int64_t> starts, limits, strides;
    for (int64_t dim = 0; dim < op.getType().getRank(); ++dim) {
      // Both strides step inside the extent or only one element is taken: nothing overflows.
      int64_t last = op.getType().getDimSize(dim) - 1;
      int64_t stride = last == 0 ? 1 : inner.getStrides()[dim] * op.getStrides()[dim];
      int64_t start =
          inner.getStarts()[dim] +
          (op.getStarts()[dim] == 0 ? 0 : inner.getStrides()[dim] * op.getStarts()[dim]);
      starts.push_back(start);
      strides.push_back(stride);
      limits.push_back(start + last * stride + 1);
    }
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), inner.getOperand(), starts, limits,
                                         strides);
    return success();
  });
}

void ConcatOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(+[](ConcatOp op, PatternRewriter &rewriter) -> LogicalResult {
    SmallVector<Value> operands;
    bool hasChanged = false;
    for (Value operand : op.getOperands()) {
      auto inner = operand.getDefiningOp<ConcatOp>();
      if (inner && inner.getDim() == op.getDim()) {
        llvm::append_range(operands, inner.getOperands());
        hasChanged = true;
      } else if (cast<ShapedType>(operand.getType()).getDimSize(op.getDim()) == 0 &&
                 op.getOperands().size() > 1) {
        hasChanged = true;
      } else {
        operands.push_back(operand);
      }
    }
    if (operands.empty())
      operands.push_back(op.getOperands().front());
    if (!hasChanged)
      return rewriter.notifyMatchFailure(op, "no operand is a concat along the dim or empty");
    rewriter.replaceOpWithNewOp<ConcatOp>(op, op.getType(), operands, op.getDim());
    return success();
  });
}
