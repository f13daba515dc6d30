// Canonical forms of graph.contract: transposed operands are read in place.
#include "dialects/graph/graph.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

/// Reads a transposed operand as it was before: batch and contracted dims are named, so they may lie
/// anywhere. Free dims keep their order in the result, so their order must not change.
struct ReadBeforeTranspose : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op, PatternRewriter &rewriter) const override {
    Side lhs{op.getLhs(), op.getLhsFree(), op.getLhsBatch(), op.getLhsContract()};
    Side rhs{op.getRhs(), op.getRhsFree(), op.getRhsBatch(), op.getRhsContract()};
    bool isLhsChanged = lhs.skipTranspose();
    bool isRhsChanged = rhs.skipTranspose();
    if (!isLhsChanged && !isRhsChanged)
      return rewriter.notifyMatchFailure(op,
                                         "no operand is a transpose that keeps free dims in order");
    rewriter.replaceOpWithNewOp<ContractOp>(op, op.getType(), lhs.operand, rhs.operand, lhs.batch,
                                            rhs.batch, lhs.contract, rhs.contract);
    return success();
  }

private:
  /// An operand and the roles of its dims.
  struct Side {
    Value operand;
    SmallVector<int64_t> free, batch, contract;

    Side(Value operand, ArrayRef<int64_t> free, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract)
        : operand(operand), free(free), batch(batch), contract(contract) {}

    bool skipTranspose() {
      auto transpose = operand.getDefiningOp<TransposeOp>();
      if (!transpose)
        return false;
      ArrayRef<int64_t> permutation = transpose.getPermutation();
      auto before = [&](ArrayRef<int64_t> dims) {
        return llvm::map_to_vector(dims, [&](int64_t dim) { return permutation[dim]; });
      };
      if (!llvm::is_sorted(before(free)))
        return false;
      operand = transpose.getOperand();
      batch = before(batch);
      contract = before(contract);
      return true;
    }
  };
};

} // namespace

void ContractOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ReadBeforeTranspose>(context);
}
