// Gradients of graph.binary.
//
// Equal operands of `max` and `min` get half of the gradient each, as in PyTorch and JAX. `mod` and
// `rem` are differentiated where they are smooth. `pow` has no gradient to a base with exponent 0, nor
// to an exponent of at least 0 with base 0: the limits of formulas that multiply 0 by infinity.
// Floats narrower than 32 bits are computed in f32. Integers have no gradient.
#include "dialects/graph/primitive_builder.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

struct OperandGradients {
  Value lhs, rhs;
};

/// What the formulas are written with: the operands, the result and its gradient.
struct BinaryGradient {
  PrimitiveBuilder &b;
  Value lhs, rhs, result, g;

  Value mul(Value x, Value y) { return b.binary(BinaryKind::mul, x, y); }
  Value div(Value x, Value y) { return b.binary(BinaryKind::div, x, y); }
  Value neg(Value x) { return b.unary(UnaryKind::neg, x); }
  Value zero() { return b.splatLike(g, 0.0); }
  Value isZero(Value x) { return b.compare(CompareKind::eq, x, b.splatLike(x, 0.0)); }

  OperandGradients build(BinaryKind kind);

private:
  OperandGradients buildPow();
  OperandGradients buildExtreme(CompareKind wins);
  OperandGradients buildRemainder();
  OperandGradients buildAtan2();
};

OperandGradients BinaryGradient::build(BinaryKind kind) {
  switch (kind) {
  case BinaryKind::add:
    return {g, g};
  case BinaryKind::sub:
    return {g, neg(g)};
  case BinaryKind::mul:
    return {mul(g, rhs), mul(g, lhs)};
  case BinaryKind::div: {
    Value quotient = div(g, rhs);
    return {quotient, neg(mul(quotient, result))};
  }
  case BinaryKind::pow:
    return buildPow();
  case BinaryKind::max:
    return buildExtreme(CompareKind::gt);
  case BinaryKind::min:
    return buildExtreme(CompareKind::lt);
  case BinaryKind::mod:
  case BinaryKind::rem:
    return buildRemainder();
  case BinaryKind::atan2:
    return buildAtan2();
  case BinaryKind::bitwise_and:
  case BinaryKind::bitwise_or:
  case BinaryKind::bitwise_xor:
  case BinaryKind::shift_left:
  case BinaryKind::shift_right:
    break;
  }
  llvm_unreachable("a kind of binary on floats");
}

OperandGradients BinaryGradient::buildPow() {
  Value less = b.binary(BinaryKind::pow, lhs, b.binary(BinaryKind::add, rhs, -1.0));
  Value base = b.select(isZero(rhs), zero(), mul(g, mul(rhs, less)));
  Value isFlat = b.binary(BinaryKind::bitwise_and, isZero(lhs),
                          b.compare(CompareKind::ge, rhs, b.splatLike(rhs, 0.0)));
  Value exponent = mul(g, mul(result, b.unary(UnaryKind::log, lhs)));
  return {base, b.select(isFlat, zero(), exponent)};
}

/// `wins` holds between the operand that is the result and the other one.
OperandGradients BinaryGradient::buildExtreme(CompareKind wins) {
  Value shared =
      b.select(b.compare(CompareKind::eq, lhs, rhs), b.binary(BinaryKind::mul, g, 0.5), zero());
  return {b.select(b.compare(wins, lhs, rhs), g, shared),
          b.select(b.compare(wins, rhs, lhs), g, shared)};
}

/// The result is `lhs - rhs q` with a whole number `q` that is constant but for jumps.
OperandGradients BinaryGradient::buildRemainder() {
  Value quotient = b.unary(UnaryKind::round, div(b.binary(BinaryKind::sub, lhs, result), rhs));
  return {g, neg(mul(g, quotient))};
}

OperandGradients BinaryGradient::buildAtan2() {
  Value squares = b.binary(BinaryKind::add, mul(lhs, lhs), mul(rhs, rhs));
  Value quotient = div(g, squares);
  return {mul(quotient, rhs), neg(mul(quotient, lhs))};
}

} // namespace

SmallVector<Value> BinaryOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  Type element = getType().getElementType();
  bool isOneStep = getKind() == BinaryKind::add || getKind() == BinaryKind::sub ||
                   getKind() == BinaryKind::mul; // Rounds once anyway.
  Type compute = isOneStep ? element : computeTypeOf(element);
  auto widen = [&](Value x) { return b.cast(x, compute); };
  OperandGradients gradients = BinaryGradient{b, widen(getLhs()), widen(getRhs()),
                                              widen(getResult()), widen(resultGradients.front())}
                                   .build(getKind());
  return {b.cast(gradients.lhs, element), b.cast(gradients.rhs, element)};
}
