// Brings reduced dims to the end, where generated kernels reduce.
#include "passes/lowering/convert/convert.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

struct MoveReducedDimsLast : OpRewritePattern<graph::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::ReduceOp op, PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getOperand().getType());
    ArrayRef<int64_t> dims = op.getDims();
    int64_t rank = type.getRank(), numKept = rank - static_cast<int64_t>(dims.size());
    if (dims.empty() || dims.front() == numKept)
      return rewriter.notifyMatchFailure(op, "the reduced dims are the last ones");
    SmallVector<int64_t> permutation;
    for (int64_t dim = 0; dim < rank; ++dim)
      if (!llvm::is_contained(dims, dim))
        permutation.push_back(dim);
    llvm::append_range(permutation, dims);
    Value moved = graph::TransposeOp::create(rewriter, op.getLoc(), op.getOperand(), permutation);
    auto last = llvm::to_vector(llvm::seq(numKept, rank));
    rewriter.replaceOpWithNewOp<graph::ReduceOp>(op, op.getKind(), moved, last);
    return success();
  }
};

} // namespace

void populateReducePatterns(RewritePatternSet &patterns) {
  patterns.add<MoveReducedDimsLast>(patterns.getContext());
}

} // namespace sheaf::lowering
