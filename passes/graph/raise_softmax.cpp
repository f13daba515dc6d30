// Raises softmax and log_softmax, written with the row's maximum taken off, and takes them out of
// flattened rows.
#include "passes/graph/product.h"
#include "passes/graph/raise_patterns.h"
#include "passes/graph/view.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

/// A reduction over the single dim of a softmax.
std::optional<Reduction> rowReduction(Value value, ReduceKind kind) {
  std::optional<Reduction> reduction = reductionOf(View(value), kind);
  return reduction && reduction->dims.size() == 1 ? reduction : std::nullopt;
}

/// `x` where `value` is `x - max(x)` over `dim`.
Value unshifted(Value value, int64_t dim) {
  auto sub = value.getDefiningOp<BinaryOp>();
  if (!sub || sub.getKind() != BinaryKind::sub)
    return {};
  std::optional<Reduction> max = rowReduction(sub.getRhs(), ReduceKind::max);
  return max && max->x == sub.getLhs() && max->dims.front() == dim ? sub.getLhs() : Value();
}

/// `exp(x - max) / sum(exp(x - max))`.
struct RaiseSoftmax : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != BinaryKind::div)
      return rewriter.notifyMatchFailure(op, "no division");
    std::optional<Reduction> sum = rowReduction(op.getRhs(), ReduceKind::sum);
    Value exponent = operandOf(op.getLhs(), UnaryKind::exp);
    if (!sum || !exponent || sum->x != op.getLhs())
      return rewriter.notifyMatchFailure(op, "no division of exponentials by their sum");
    Value x = unshifted(exponent, sum->dims.front());
    if (!x)
      return rewriter.notifyMatchFailure(op, "the exponent is not x - max(x)");
    rewriter.replaceOpWithNewOp<SoftmaxOp>(op, op.getType(), x, sum->dims.front());
    return success();
  }
};

/// `(x - max) - log(sum(exp(x - max)))`.
struct RaiseLogSoftmax : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != BinaryKind::sub)
      return rewriter.notifyMatchFailure(op, "no difference");
    View log = View(op.getRhs()).peeled();
    Value argument = operandOf(log.value, UnaryKind::log);
    std::optional<Reduction> sum =
        argument ? reductionOf(log.ofOperand(argument), ReduceKind::sum) : std::nullopt;
    if (!sum || sum->dims.size() != 1 || operandOf(sum->x, UnaryKind::exp) != op.getLhs())
      return rewriter.notifyMatchFailure(op, "no log of a sum of exponentials of the minuend");
    Value x = unshifted(op.getLhs(), sum->dims.front());
    if (!x)
      return rewriter.notifyMatchFailure(op, "the minuend is not x - max(x)");
    rewriter.replaceOpWithNewOp<LogSoftmaxOp>(op, op.getType(), x, sum->dims.front());
    return success();
  }
};

/// Takes a softmax over the last dim before a reshape that keeps that dim: what was flattened to rows
/// (as ONNX did before opset 13) is seen in its own dims again.
template <typename SoftmaxLikeOp> struct TakeBeforeReshape : OpRewritePattern<SoftmaxLikeOp> {
  using OpRewritePattern<SoftmaxLikeOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(SoftmaxLikeOp op, PatternRewriter &rewriter) const override {
    auto reshape = op.getOperand().template getDefiningOp<ReshapeOp>();
    ArrayRef<int64_t> shape = op.getType().getShape();
    if (!reshape || int64_t(op.getDim()) + 1 != int64_t(shape.size()))
      return rewriter.notifyMatchFailure(op, "not over the last dim of a reshape");
    RankedTensorType before = reshape.getOperand().getType();
    if (before.getRank() <= int64_t(shape.size()) || before.getShape().back() != shape.back())
      return rewriter.notifyMatchFailure(op, "the reshape does not flatten rows alone");
    Value rows = SoftmaxLikeOp::create(rewriter, op.getLoc(), before, reshape.getOperand(),
                                       before.getRank() - 1);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), rows);
    return success();
  }
};

} // namespace

void sheaf::graph::populateRaiseSoftmaxPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseSoftmax, RaiseLogSoftmax, TakeBeforeReshape<SoftmaxOp>,
               TakeBeforeReshape<LogSoftmaxOp>>(patterns.getContext());
}
