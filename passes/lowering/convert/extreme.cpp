// Ranks with GPUs gather what they take the largest or smallest of, and find it themselves.
//
// NCCL combines floats by fmaxf, fminf and the like (SPECIALIZE_REDUCE in its reduce_kernel.h), which return the other
// operand of NaN; here NaN wins, as in graph.reduce. What ranks combine this way are statistics of rows and scales of
// tensors: small, and one collective as before.
#include "dialects/dist/tensor_sharding.h"
#include "dialects/graph/primitive_builder.h"
#include "passes/lowering/convert/convert.h"

using namespace mlir;
using namespace sheaf::dist;

namespace sheaf::lowering {
namespace {

std::optional<graph::ReduceKind> extremeOf(PartialKind kind) {
  if (kind == PartialKind::max)
    return graph::ReduceKind::max;
  if (kind == PartialKind::min)
    return graph::ReduceKind::min;
  return std::nullopt;
}

/// The combination of each operand of `op` over the group, on all of its ranks; none where NCCL's is as good.
template <typename Op>
std::optional<SmallVector<Value>> gatherAndReduce(graph::PrimitiveBuilder &b, Op op) {
  std::optional<graph::ReduceKind> kind = extremeOf(op.getKind());
  if (!kind || !isa<FloatType>(getElementTypeOrSelf(op.getOperands()[0].getType())))
    return std::nullopt;
  AxesAttr axes = op.getAxes();
  const int64_t numRanks = sizeOf(axesOf(axes.getAxes(), findMesh(op, axes.getMesh()).getMesh()));
  SmallVector<Value> blocks;
  SmallVector<Type> gathered;
  for (Value operand : op.getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    SmallVector<int64_t> shape = {1};
    llvm::append_range(shape, type.getShape());
    blocks.push_back(b.reshape(operand, shape));
    shape[0] = numRanks;
    gathered.push_back(type.clone(shape));
  }
  SmallVector<int64_t> dims(blocks.size(), 0);
  auto all = AllGatherOp::create(b, gathered, blocks, b.getDenseI64ArrayAttr(dims), axes);
  return llvm::map_to_vector(all->getResults(),
                             [&](Value value) { return b.reduce(*kind, value, {0}); });
}

struct GatherForAllReduce : OpRewritePattern<AllReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AllReduceOp op, PatternRewriter &rewriter) const override {
    graph::PrimitiveBuilder b(op.getLoc(), rewriter);
    std::optional<SmallVector<Value>> combined = gatherAndReduce(b, op);
    if (!combined)
      return rewriter.notifyMatchFailure(op, "NCCL combines it");
    rewriter.replaceOp(op, *combined);
    return success();
  }
};

struct GatherForReduceScatter : OpRewritePattern<ReduceScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceScatterOp op, PatternRewriter &rewriter) const override {
    graph::PrimitiveBuilder b(op.getLoc(), rewriter);
    std::optional<SmallVector<Value>> combined = gatherAndReduce(b, op);
    if (!combined)
      return rewriter.notifyMatchFailure(op, "NCCL combines it");
    for (auto [value, result, dim] : llvm::zip_equal(*combined, op->getResults(), op.getDims()))
      value = SliceOp::create(b, result.getType(), value, dim, op.getAxes());
    rewriter.replaceOp(op, *combined);
    return success();
  }
};

} // namespace

void populateExtremePatterns(RewritePatternSet &patterns) {
  patterns.add<GatherForAllReduce, GatherForReduceScatter>(patterns.getContext());
}

} // namespace sheaf::lowering
