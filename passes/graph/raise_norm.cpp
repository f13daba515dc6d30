// Raises rms_norm and layer_norm. Layer norm is the rms norm of centered rows, so the rms norm is found
// first; then what centers its operand, and the scale and the bias that follow.
#include "passes/graph/product.h"
#include "passes/graph/raise_patterns.h"
#include "passes/graph/view.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

bool isPower(Value value, double exponent, Value &base) {
  auto op = value.getDefiningOp<BinaryOp>();
  if (!op || op.getKind() != BinaryKind::pow || !isSplat(op.getRhs(), exponent))
    return false;
  base = op.getLhs();
  return true;
}

/// The argument of a square root, however it is written.
std::optional<View> underRoot(const View &view) {
  View row = view.peeled();
  if (Value x = operandOf(row.value, UnaryKind::sqrt))
    return row.ofOperand(x);
  if (Value x; isPower(row.value, 0.5, x))
    return row.ofOperand(x);
  return std::nullopt;
}

/// The argument of the reciprocal of a square root.
std::optional<View> underInverseRoot(const View &view) {
  View row = view.peeled();
  if (Value x = operandOf(row.value, UnaryKind::rsqrt))
    return row.ofOperand(x);
  if (Value x; isPower(row.value, -0.5, x))
    return row.ofOperand(x);
  if (Value root = operandOf(row.value, UnaryKind::reciprocal))
    return underRoot(row.ofOperand(root));
  auto div = row.value.getDefiningOp<BinaryOp>();
  if (div && div.getKind() == BinaryKind::div && isSplat(div.getLhs(), 1))
    return underRoot(row.ofOperand(div.getRhs()));
  return std::nullopt;
}

/// The trailing dims of a normalization.
struct Rows {
  int64_t axis;
  double epsilon;
};

/// Whether `view` is `mean(x^2) + epsilon` over trailing dims.
std::optional<Rows> meanSquareOf(const View &view, Value x) {
  View row = view.peeled();
  double epsilon = 0;
  for (auto [sum, addend] : bothOrders(row.value, BinaryKind::add)) {
    if (std::optional<double> splat = splatOf(addend)) {
      epsilon = *splat;
      row = row.ofOperand(sum);
      break;
    }
  }
  std::optional<Reduction> mean = meanOf(row);
  if (!mean || mean->dims.empty())
    return std::nullopt;
  int64_t axis = mean->dims.front();
  bool isTrailing = axis + int64_t(mean->dims.size()) == view.frame.getRank();
  std::optional<double> square = coefficientOf(mean->x, {x, x});
  if (!isTrailing || square != 1.0)
    return std::nullopt;
  return Rows{axis, epsilon};
}

/// `x / sqrt(mean(x^2) + epsilon)`, or times the reciprocal.
struct RaiseRmsNorm : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    auto match = [&](Value x, std::optional<View> argument) {
      std::optional<Rows> rows = argument ? meanSquareOf(*argument, x) : std::nullopt;
      if (!rows)
        return false;
      rewriter.replaceOpWithNewOp<RmsNormOp>(op, op.getType(), x, Value(),
                                             rewriter.getI64IntegerAttr(rows->axis),
                                             rewriter.getF64FloatAttr(rows->epsilon));
      return true;
    };
    if (op.getKind() == BinaryKind::div && match(op.getLhs(), underRoot(View(op.getRhs()))))
      return success();
    for (auto [x, inverse] : bothOrders(op, BinaryKind::mul))
      if (match(x, underInverseRoot(View(inverse))))
        return success();
    return rewriter.notifyMatchFailure(op, "no quotient of x and sqrt(mean(x^2) + epsilon)");
  }
};

/// `rms_norm(x - mean(x))` is `layer_norm(x)`.
struct RaiseLayerNorm : OpRewritePattern<RmsNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RmsNormOp op, PatternRewriter &rewriter) const override {
    auto sub = op.getOperand().getDefiningOp<BinaryOp>();
    if (!sub || sub.getKind() != BinaryKind::sub)
      return rewriter.notifyMatchFailure(op, "the operand is no difference");
    std::optional<Reduction> mean = meanOf(View(sub.getRhs()));
    if (!mean || mean->x != sub.getLhs() || mean->dims.empty() ||
        mean->dims.front() != int64_t(op.getAxis()) ||
        int64_t(mean->dims.size()) != op.getType().getRank() - int64_t(op.getAxis()))
      return rewriter.notifyMatchFailure(op, "the operand is not centered over the same dims");
    rewriter.replaceOpWithNewOp<LayerNormOp>(op, op.getType(), mean->x, op.getScale(), Value(),
                                             op.getAxisAttr(), op.getEpsilonAttr());
    return success();
  }
};

/// The other operand of a sum or product with a norm that has no other use, as the norm's parameter.
template <typename NormOp>
Value parameterFor(NormOp norm, Value other, BinaryOp op, PatternRewriter &rewriter) {
  View view = View(other).peeled();
  bool isParameter = llvm::any_of(view.dims, [](int64_t dim) { return dim >= 0; }) &&
                     llvm::all_of(view.dims, [&](int64_t dim) {
                       return dim < 0 || dim >= int64_t(norm.getAxis());
                     });
  if (!norm->hasOneUse() || !isParameter)
    return {};
  PrimitiveBuilder builder(op.getLoc(), rewriter);
  return View(other).from(norm.getAxis(), builder);
}

/// `norm(x) * scale`.
template <typename NormOp> struct TakeScale : OpRewritePattern<BinaryOp> {
  using OpRewritePattern<BinaryOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    for (auto [value, other] : bothOrders(op, BinaryKind::mul)) {
      auto norm = value.template getDefiningOp<NormOp>();
      if (!norm || norm.getScale() || hasBias(norm))
        continue;
      if (Value scale = parameterFor(norm, other, op, rewriter)) {
        rewriter.replaceOp(op, rebuild(norm, scale, rewriter));
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "no product of an unscaled norm and a row of factors");
  }

private:
  static bool hasBias(LayerNormOp norm) { return bool(norm.getBias()); }
  static bool hasBias(RmsNormOp) { return false; }
  static Value rebuild(LayerNormOp norm, Value scale, PatternRewriter &rewriter) {
    return LayerNormOp::create(rewriter, norm.getLoc(), norm.getType(), norm.getOperand(), scale,
                               Value(), norm.getAxisAttr(), norm.getEpsilonAttr());
  }
  static Value rebuild(RmsNormOp norm, Value scale, PatternRewriter &rewriter) {
    return RmsNormOp::create(rewriter, norm.getLoc(), norm.getType(), norm.getOperand(), scale,
                             norm.getAxisAttr(), norm.getEpsilonAttr());
  }
};

/// `layer_norm(x) * scale + bias`.
struct TakeBias : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    for (auto [value, other] : bothOrders(op, BinaryKind::add)) {
      auto norm = value.getDefiningOp<LayerNormOp>();
      if (!norm || norm.getBias() || !norm.getScale())
        continue;
      if (Value bias = parameterFor(norm, other, op, rewriter)) {
        rewriter.replaceOpWithNewOp<LayerNormOp>(op, op.getType(), norm.getOperand(),
                                                 norm.getScale(), bias, norm.getAxisAttr(),
                                                 norm.getEpsilonAttr());
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "no sum of a scaled layer norm and a row");
  }
};

} // namespace

void sheaf::graph::populateRaiseNormPatterns(RewritePatternSet &patterns) {
  patterns
      .add<RaiseRmsNorm, RaiseLayerNorm, TakeScale<RmsNormOp>, TakeScale<LayerNormOp>, TakeBias>(
          patterns.getContext());
}
