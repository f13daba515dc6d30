// Gradients of graph.unary: the gradient of the result times the derivative.
//
// The derivative is a function of the result where one exists that is as exact (exp, tanh, relu, ..),
// so that the operand need not be kept; of the operand otherwise. Floats narrower than 32 bits are
// computed in f32. Where there is no derivative: `abs` and `relu` have 0 at 0, as in PyTorch and JAX.
// `sign`, `floor`, `ceil` and `round` are constant but for jumps and stop gradients.
#include "dialects/graph/primitive_builder.h"

#include <numbers>

using namespace mlir;
using namespace sheaf::graph;

namespace {

/// What the formulas are written with. `x` is the operand, `y` the result, `g` the gradient of `y`.
struct UnaryGradient {
  PrimitiveBuilder &b;
  Value g, x, y;

  Value of(UnaryKind kind, Value value) { return b.unary(kind, value); }
  template <typename Rhs> Value add(Value lhs, Rhs rhs) {
    return b.binary(BinaryKind::add, lhs, rhs);
  }
  template <typename Rhs> Value mul(Value lhs, Rhs rhs) {
    return b.binary(BinaryKind::mul, lhs, rhs);
  }
  Value div(Value lhs, Value rhs) { return b.binary(BinaryKind::div, lhs, rhs); }
  Value square(Value value) { return mul(value, value); }
  Value oneMinus(Value value) { return b.binary(BinaryKind::sub, b.splatLike(value, 1.0), value); }

  /// Null where the kind stops gradients.
  Value build(UnaryKind kind);

private:
  Value buildGeluErf();
  Value buildGeluTanh();
  Value buildMish();
};

Value UnaryGradient::build(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::sign:
  case UnaryKind::bitwise_not:
  case UnaryKind::floor:
  case UnaryKind::ceil:
  case UnaryKind::round:
    return {};
  case UnaryKind::abs:
    return mul(g, of(UnaryKind::sign, x));
  case UnaryKind::neg:
    return of(UnaryKind::neg, g);
  case UnaryKind::exp:
    return mul(g, y);
  case UnaryKind::log:
    return div(g, x);
  case UnaryKind::log1p:
    return div(g, add(x, 1.0));
  case UnaryKind::expm1:
    return mul(g, add(y, 1.0));
  case UnaryKind::sqrt:
    return div(mul(g, 0.5), y);
  case UnaryKind::rsqrt:
    return mul(g, mul(mul(square(y), y), -0.5));
  case UnaryKind::reciprocal:
    return mul(g, of(UnaryKind::neg, square(y)));
  case UnaryKind::sin:
    return mul(g, of(UnaryKind::cos, x));
  case UnaryKind::cos:
    return mul(g, of(UnaryKind::neg, of(UnaryKind::sin, x)));
  case UnaryKind::tan:
    return mul(g, add(square(y), 1.0));
  case UnaryKind::asin:
    return mul(g, of(UnaryKind::rsqrt, oneMinus(square(x))));
  case UnaryKind::acos:
    return mul(g, of(UnaryKind::neg, of(UnaryKind::rsqrt, oneMinus(square(x)))));
  case UnaryKind::atan:
    return div(g, add(square(x), 1.0));
  case UnaryKind::sinh:
    return mul(g, of(UnaryKind::cosh, x));
  case UnaryKind::cosh:
    return mul(g, of(UnaryKind::sinh, x));
  case UnaryKind::tanh:
    return mul(g, oneMinus(square(y)));
  case UnaryKind::asinh:
    return mul(g, of(UnaryKind::rsqrt, add(square(x), 1.0)));
  case UnaryKind::acosh: // (x - 1) (x + 1) does not cancel near 1 as x^2 - 1 does.
    return mul(g, of(UnaryKind::rsqrt, mul(add(x, -1.0), add(x, 1.0))));
  case UnaryKind::atanh:
    return div(g, mul(oneMinus(x), add(x, 1.0)));
  case UnaryKind::erf:
    return mul(
        g, mul(of(UnaryKind::exp, of(UnaryKind::neg, square(x))), 2.0 * std::numbers::inv_sqrtpi));
  case UnaryKind::relu:
    return b.select(b.compare(CompareKind::gt, y, b.splatLike(y, 0.0)), g, b.splatLike(g, 0.0));
  case UnaryKind::sigmoid:
    return mul(g, mul(y, oneMinus(y)));
  case UnaryKind::silu: {
    Value sigmoid = of(UnaryKind::sigmoid, x);
    return mul(g, mul(sigmoid, add(mul(x, oneMinus(sigmoid)), 1.0)));
  }
  case UnaryKind::gelu_erf:
    return buildGeluErf();
  case UnaryKind::gelu_tanh:
    return buildGeluTanh();
  case UnaryKind::softplus:
    return mul(g, of(UnaryKind::sigmoid, x));
  case UnaryKind::mish:
    return buildMish();
  }
  llvm_unreachable("a kind of unary");
}

/// The normal distribution plus `x` times its density.
Value UnaryGradient::buildGeluErf() {
  Value erf = of(UnaryKind::erf, mul(x, 1.0 / std::numbers::sqrt2));
  Value density =
      mul(of(UnaryKind::exp, mul(square(x), -0.5)), std::numbers::inv_sqrtpi / std::numbers::sqrt2);
  return mul(g, add(mul(add(erf, 1.0), 0.5), mul(x, density)));
}

/// With `t = tanh(c (x + a x^3))`: `(1 + t) / 2 + x / 2 (1 - t^2) c (1 + 3 a x^2)`.
Value UnaryGradient::buildGeluTanh() {
  constexpr double a = 0.044715;
  constexpr double c = std::numbers::sqrt2 * std::numbers::inv_sqrtpi; // sqrt(2/pi)
  Value squared = square(x);
  Value tanh = of(UnaryKind::tanh, mul(mul(x, add(mul(squared, a), 1.0)), c));
  Value inner = mul(add(mul(squared, 3 * a), 1.0), c);
  Value slope = mul(mul(x, oneMinus(square(tanh))), inner);
  return mul(g, mul(add(add(tanh, 1.0), slope), 0.5));
}

/// With `t = tanh(softplus(x))`: `t + x (1 - t^2) sigmoid(x)`.
Value UnaryGradient::buildMish() {
  Value tanh = of(UnaryKind::tanh, of(UnaryKind::softplus, x));
  Value slope = mul(mul(x, oneMinus(square(tanh))), of(UnaryKind::sigmoid, x));
  return mul(g, add(tanh, slope));
}

} // namespace

SmallVector<Value> UnaryOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  Type element = getOperand().getType().getElementType(), compute = computeTypeOf(element);
  UnaryGradient gradient{b, b.cast(resultGradients.front(), compute), b.cast(getOperand(), compute),
                         b.cast(getResult(), compute)};
  Value x = gradient.build(getKind());
  return {x ? b.cast(x, element) : Value()};
}
