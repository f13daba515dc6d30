// Moves the merging of dims behind products and element-wise ops.
//
// Exporters flatten [b, s, h] to [b s, h] for a Gemm. Of merged dims only the first can be cut, so a
// sequence could not be.
#include "passes/sharding/expose_dims.h"
#include "passes/sharding/op_rule.h"

#include "dialects/graph/graph.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace sheaf::sharding {

bool isElementwise(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 || op->getNumRegions() != 0)
    return false;
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!result || !isa<ShardingRuleOpInterface>(op))
    return false;
  for (Value operand : op->getOperands())
    if (cast<ShapedType>(operand.getType()).getShape() != result.getShape())
      return false;
  OpRule rule = OpRule::of(op);
  return rule.isElementwise() && llvm::all_equal(rule.tensors) &&
         llvm::all_of(rule.tensors[0], [](ArrayRef<unsigned> dim) { return dim.size() == 1; });
}

namespace {

/// For each dim of the result, the first of the operand's dims that it is made of.
using MergedDims = SmallVector<int64_t>;

/// None for a reshape that does more than merge neighbours, or nothing.
std::optional<MergedDims> mergedDims(graph::ReshapeOp reshape) {
  ArrayRef<int64_t> from = reshape.getOperand().getType().getShape();
  ArrayRef<int64_t> to = reshape.getType().getShape();
  if (from.size() <= to.size() || llvm::is_contained(from, 0))
    return std::nullopt;
  MergedDims first;
  size_t next = 0;
  for (int64_t extent : to) {
    if (next == from.size())
      return std::nullopt;
    first.push_back(next);
    int64_t product = from[next++];
    while (product < extent && next < from.size())
      product *= from[next++];
    if (product != extent)
      return std::nullopt;
  }
  // What is left are ones of the last dim.
  return llvm::all_of(from.drop_front(next), [](int64_t extent) { return extent == 1; })
             ? std::optional(first)
             : std::nullopt;
}

/// How many dims of the operand make dim `dim` of the result.
int64_t numMerged(const MergedDims &first, int64_t dim, int64_t operandRank) {
  return (dim + 1 < int64_t(first.size()) ? first[dim + 1] : operandRank) - first[dim];
}

/// contract(reshape(x), y) -> reshape(contract(x, y))
struct SinkBehindProduct : OpRewritePattern<graph::ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::ContractOp op, PatternRewriter &rewriter) const override {
    for (bool isLhs : {true, false})
      if (succeeded(sink(op, isLhs, rewriter)))
        return success();
    return failure();
  }

private:
  static LogicalResult sink(graph::ContractOp op, bool isLhs, PatternRewriter &rewriter) {
    auto reshape = (isLhs ? op.getLhs() : op.getRhs()).getDefiningOp<graph::ReshapeOp>();
    std::optional<MergedDims> first = reshape ? mergedDims(reshape) : std::nullopt;
    if (!first)
      return failure();
    ArrayRef<int64_t> batch = isLhs ? op.getLhsBatch() : op.getRhsBatch();
    ArrayRef<int64_t> summed = isLhs ? op.getLhsContract() : op.getRhsContract();
    // Dims that are summed or paired stay merged; `place` is where dims of the reshape are now.
    SmallVector<int64_t> shape, place;
    ArrayRef<int64_t> from = reshape.getOperand().getType().getShape();
    for (auto [dim, extent] : llvm::enumerate(reshape.getType().getShape())) {
      place.push_back(shape.size());
      if (llvm::is_contained(batch, dim) || llvm::is_contained(summed, dim))
        shape.push_back(extent);
      else
        llvm::append_range(shape, from.slice((*first)[dim], numMerged(*first, dim, from.size())));
    }
    if (shape.size() == place.size())
      return rewriter.notifyMatchFailure(op, "merges batch or contracted dims only");
    Value apart = graph::ReshapeOp::create(rewriter, reshape.getLoc(),
                                           reshape.getType().clone(shape), reshape.getOperand());
    auto moved = [&](ArrayRef<int64_t> dims, bool isOwn) {
      return llvm::map_to_vector(dims, [&](int64_t dim) { return isOwn ? place[dim] : dim; });
    };
    Value lhs = isLhs ? apart : op.getLhs(), rhs = isLhs ? op.getRhs() : apart;
    SmallVector<int64_t> lhsBatch = moved(op.getLhsBatch(), isLhs),
                         rhsBatch = moved(op.getRhsBatch(), !isLhs),
                         lhsSummed = moved(op.getLhsContract(), isLhs),
                         rhsSummed = moved(op.getRhsContract(), !isLhs);
    auto shapeOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape(); };
    auto type =
        RankedTensorType::get(graph::ContractOp::resultShape(shapeOf(lhs), shapeOf(rhs), lhsBatch,
                                                             rhsBatch, lhsSummed, rhsSummed),
                              op.getType().getElementType());
    Value product = graph::ContractOp::create(rewriter, op.getLoc(), type, lhs, rhs, lhsBatch,
                                              rhsBatch, lhsSummed, rhsSummed);
    rewriter.replaceOpWithNewOp<graph::ReshapeOp>(op, op.getType(), product);
    return success();
  }
};

/// f(reshape(x), y) -> reshape(f(x, reshape(y)))
struct SinkBehindElementwise : RewritePattern {
  explicit SinkBehindElementwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (isa<graph::ReshapeOp>(op) || !isElementwise(op))
      return failure();
    for (Value operand : op->getOperands())
      if (auto reshape = operand.getDefiningOp<graph::ReshapeOp>())
        if (auto first = mergedDims(reshape)) {
          sink(op, reshape.getOperand().getType(), *first, rewriter);
          return success();
        }
    return failure();
  }

private:
  static void sink(Operation *op, RankedTensorType apart, const MergedDims &first,
                   PatternRewriter &rewriter) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(split(operand, apart, first, rewriter));
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Operation *moved = rewriter.clone(*op);
    moved->setOperands(operands);
    moved->getResult(0).setType(apart.clone(type.getElementType()));
    rewriter.replaceOpWithNewOp<graph::ReshapeOp>(op, type, moved->getResult(0));
  }

  /// `value` in the shape of `apart`; a broadcast goes there at once where it can.
  static Value split(Value value, RankedTensorType apart, const MergedDims &first,
                     PatternRewriter &rewriter) {
    auto type = apart.clone(cast<RankedTensorType>(value.getType()).getElementType());
    Location loc = value.getLoc();
    if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>()) {
      bool isMergedUsed = llvm::any_of(broadcast.getDims(), [&](int64_t dim) {
        return numMerged(first, dim, apart.getRank()) != 1;
      });
      if (!isMergedUsed)
        return graph::BroadcastOp::create(
            rewriter, loc, type, broadcast.getOperand(),
            rewriter.getDenseI64ArrayAttr(
                llvm::map_to_vector(broadcast.getDims(), [&](int64_t dim) { return first[dim]; })));
    }
    return graph::ReshapeOp::create(rewriter, loc, type, value);
  }
};

} // namespace

void keepDimsApart(func::FuncOp function) {
  RewritePatternSet patterns(function.getContext());
  patterns.add<SinkBehindProduct, SinkBehindElementwise>(function.getContext());
  graph::ReshapeOp::getCanonicalizationPatterns(patterns, function.getContext());
  // What does not converge is left as far as it got, which is right too.
  (void)applyPatternsGreedily(function, std::move(patterns));
}

} // namespace sheaf::sharding
