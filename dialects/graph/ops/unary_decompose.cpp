// The composite kinds of graph.unary in primitive ones.
//
// Floats narrower than 32 bits are computed in f32 and rounded once, as the kernels do. The forms
// are stable: no intermediate overflows to a wrong result, NaN stays NaN.
#include "dialects/graph/primitive_builder.h"

#include <numbers>

using namespace mlir;
using namespace sheaf::graph;

static Value sigmoid(PrimitiveBuilder &b, Value x) {
  // exp(-x) may overflow to infinity; its reciprocal is then 0, the rounded value.
  Value denominator =
      b.binary(BinaryKind::add, b.unary(UnaryKind::exp, b.unary(UnaryKind::neg, x)), 1.0);
  return b.unary(UnaryKind::reciprocal, denominator);
}

static Value softplus(PrimitiveBuilder &b, Value x) {
  // log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)), whose exponential is at most 1.
  Value small = b.unary(UnaryKind::exp, b.unary(UnaryKind::neg, b.unary(UnaryKind::abs, x)));
  return b.binary(BinaryKind::add, b.binary(BinaryKind::max, x, 0.0),
                  b.unary(UnaryKind::log1p, small));
}

static Value geluErf(PrimitiveBuilder &b, Value x) {
  Value erf = b.unary(UnaryKind::erf, b.binary(BinaryKind::mul, x, 1.0 / std::numbers::sqrt2));
  return b.binary(BinaryKind::mul, b.binary(BinaryKind::mul, x, 0.5),
                  b.binary(BinaryKind::add, erf, 1.0));
}

static Value geluTanh(PrimitiveBuilder &b, Value x) {
  Value cube = b.binary(BinaryKind::mul, b.binary(BinaryKind::mul, x, x), x);
  Value sum = b.binary(BinaryKind::add, x, b.binary(BinaryKind::mul, cube, 0.044715));
  double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi; // sqrt(2/pi)
  Value tanh = b.unary(UnaryKind::tanh, b.binary(BinaryKind::mul, sum, scale));
  return b.binary(BinaryKind::mul, b.binary(BinaryKind::mul, x, 0.5),
                  b.binary(BinaryKind::add, tanh, 1.0));
}

static Value decomposeKind(PrimitiveBuilder &b, UnaryKind kind, Value x) {
  switch (kind) {
  case UnaryKind::relu:
    return b.binary(BinaryKind::max, x, 0.0);
  case UnaryKind::sigmoid:
    return sigmoid(b, x);
  case UnaryKind::silu:
    return b.binary(BinaryKind::mul, x, sigmoid(b, x));
  case UnaryKind::gelu_erf:
    return geluErf(b, x);
  case UnaryKind::gelu_tanh:
    return geluTanh(b, x);
  case UnaryKind::softplus:
    return softplus(b, x);
  case UnaryKind::mish:
    return b.binary(BinaryKind::mul, x, b.unary(UnaryKind::tanh, softplus(b, x)));
  default:
    llvm_unreachable("a primitive kind");
  }
}

bool UnaryOp::isComposite(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::relu:
  case UnaryKind::sigmoid:
  case UnaryKind::silu:
  case UnaryKind::gelu_erf:
  case UnaryKind::gelu_tanh:
  case UnaryKind::softplus:
  case UnaryKind::mish:
    return true;
  default:
    return false;
  }
}

SmallVector<Value> UnaryOp::decompose(OpBuilder &builder) {
  if (!isComposite(getKind()))
    return {};
  PrimitiveBuilder b(getLoc(), builder);
  Type element = getOperand().getType().getElementType();
  if (getKind() == UnaryKind::relu) // Exact in any type, integers too.
    return {decomposeKind(b, getKind(), getOperand())};
  Value x = b.cast(getOperand(), computeTypeOf(element));
  return {b.cast(decomposeKind(b, getKind(), x), element)};
}
