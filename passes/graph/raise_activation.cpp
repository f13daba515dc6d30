// Raises activations: sigmoid, silu, gelu, softplus and mish.
//
// `log(1 + exp(x))` alone is left as it is written: it overflows to infinity where softplus does not.
// Under the tanh of mish the difference vanishes.
#include "passes/graph/product.h"
#include "passes/graph/raise_patterns.h"
#include "passes/graph/view.h"

#include <numbers>

using namespace mlir;
using namespace sheaf::graph;

namespace {

/// `x` where `value` is `1 + exp(-x)`.
Value sigmoidDenominator(Value value) {
  Value sum = withoutAddend(value, 1);
  Value exponent = sum ? operandOf(sum, UnaryKind::exp) : Value();
  return exponent ? operandOf(exponent, UnaryKind::neg) : Value();
}

/// `1 / (1 + exp(-x))` is sigmoid, `x / (1 + exp(-x))` is silu.
struct RaiseDividedSigmoid : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    Value x = op.getKind() == BinaryKind::div ? sigmoidDenominator(op.getRhs()) : Value();
    if (!x)
      return rewriter.notifyMatchFailure(op, "no division by 1 + exp(-x)");
    if (op.getLhs() == x)
      rewriter.replaceOpWithNewOp<UnaryOp>(op, op.getType(), UnaryKind::silu, x);
    else if (isSplat(op.getLhs(), 1))
      rewriter.replaceOpWithNewOp<UnaryOp>(op, op.getType(), UnaryKind::sigmoid, x);
    else
      return rewriter.notifyMatchFailure(op, "the dividend is neither 1 nor x");
    return success();
  }
};

struct RaiseReciprocalSigmoid : OpRewritePattern<UnaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(UnaryOp op, PatternRewriter &rewriter) const override {
    Value x = op.getKind() == UnaryKind::reciprocal ? sigmoidDenominator(op.getOperand()) : Value();
    if (!x)
      return rewriter.notifyMatchFailure(op, "no reciprocal of 1 + exp(-x)");
    rewriter.replaceOpWithNewOp<UnaryOp>(op, op.getType(), UnaryKind::sigmoid, x);
    return success();
  }
};

/// `max(x, 0) + log1p(exp(-|x|))`.
struct RaiseSoftplus : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    for (auto [positive, log] : bothOrders(op, BinaryKind::add)) {
      Value exponential = operandOf(log, UnaryKind::log1p);
      Value exponent = exponential ? operandOf(exponential, UnaryKind::exp) : Value();
      Value magnitude = exponent ? operandOf(exponent, UnaryKind::neg) : Value();
      Value x = magnitude ? operandOf(magnitude, UnaryKind::abs) : Value();
      if (!x)
        continue;
      bool isPositivePart = operandOf(positive, UnaryKind::relu) == x;
      for (auto [lhs, rhs] : bothOrders(positive, BinaryKind::max))
        isPositivePart |= lhs == x && isSplat(rhs, 0);
      if (!isPositivePart)
        continue;
      rewriter.replaceOpWithNewOp<UnaryOp>(op, op.getType(), UnaryKind::softplus, x);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no sum of max(x, 0) and log1p(exp(-|x|))");
  }
};

/// An activation that is `coefficient * x * gate(x)`.
struct Gated {
  UnaryKind kind;
  double coefficient;
};

/// `sqrt(2/pi) (x + 0.044715 x^3)`, perhaps with x taken out of the sum.
bool isTanhArgument(Value value, Value x) {
  double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  for (Value factor : factorsOf(value)) {
    for (auto [first, second] : bothOrders(factor, BinaryKind::add)) {
      std::optional<double> cubic;
      if (first == x && (cubic = coefficientOf(second, {x, x, x}))) {
        std::optional<double> c = coefficientOf(value, {factor});
        return c && isRounded(*c, scale, x) && isRounded(*cubic, 0.044715, x);
      }
      if (isSplat(first, 1) && (cubic = coefficientOf(second, {x, x}))) {
        std::optional<double> c = coefficientOf(value, {x, factor});
        return c && isRounded(*c, scale, x) && isRounded(*cubic, 0.044715, x);
      }
    }
  }
  return false;
}

/// What `x` times a constant times `gate` is, if `gate` is a function of `x` that makes it so.
std::optional<Gated> gatedBy(Value gate, Value x) {
  if (operandOf(gate, UnaryKind::sigmoid) == x)
    return Gated{UnaryKind::silu, 1};
  if (Value softplus = operandOf(gate, UnaryKind::tanh)) {
    Value sum = operandOf(softplus, UnaryKind::log);
    Value exponential = sum ? withoutAddend(sum, 1) : operandOf(softplus, UnaryKind::log1p);
    if (operandOf(softplus, UnaryKind::softplus) == x ||
        (exponential && operandOf(exponential, UnaryKind::exp) == x))
      return Gated{UnaryKind::mish, 1};
  }
  Value odd = withoutAddend(gate, 1);
  if (!odd)
    return std::nullopt;
  if (Value argument = operandOf(odd, UnaryKind::erf)) {
    std::optional<double> scale = coefficientOf(argument, {x});
    if (scale && isRounded(*scale, 1 / std::numbers::sqrt2, x))
      return Gated{UnaryKind::gelu_erf, 0.5};
  }
  if (Value argument = operandOf(odd, UnaryKind::tanh); argument && isTanhArgument(argument, x))
    return Gated{UnaryKind::gelu_tanh, 0.5};
  return std::nullopt;
}

/// A product of a constant, `x` and a function of `x`, in any order.
struct RaiseGated : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op, PatternRewriter &rewriter) const override {
    if (!isa<FloatType>(op.getType().getElementType()) ||
        (op.getKind() != BinaryKind::mul && op.getKind() != BinaryKind::div))
      return rewriter.notifyMatchFailure(op, "no product of floats");
    SmallVector<Value> factors = factorsOf(op);
    for (Value gate : factors) {
      for (Value x : factors) {
        std::optional<Gated> gated = gatedBy(gate, x);
        if (!gated)
          continue;
        std::optional<double> coefficient = coefficientOf(op, {x, gate});
        if (!coefficient || !isRounded(*coefficient, gated->coefficient, x))
          continue;
        rewriter.replaceOpWithNewOp<UnaryOp>(op, op.getType(), gated->kind, x);
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "no product of x and a gate of x");
  }
};

} // namespace

void sheaf::graph::populateRaiseActivationPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseDividedSigmoid, RaiseReciprocalSigmoid, RaiseSoftplus, RaiseGated>(
      patterns.getContext());
}
