// Vector code of graph.unary.
#include "dialects/graph/graph.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

static Value emitInteger(Emitter &e, UnaryKind kind, Value x, bool isUnsigned) {
  ImplicitLocOpBuilder &b = e.builder();
  Type type = getElementTypeOrSelf(x);
  Value zero = e.splat(type, int64_t(0));
  auto negated = [&] { return arith::SubIOp::create(b, zero, x); };
  auto isNegative = [&] { return e.compare(CmpIPredicate::slt, x, zero); };
  switch (kind) {
  case UnaryKind::abs:
    return isUnsigned ? x : e.select(isNegative(), negated(), x);
  case UnaryKind::neg:
    return negated();
  case UnaryKind::sign: {
    Value one = e.splat(type, int64_t(1));
    Value ofRest = e.select(e.compare(CmpIPredicate::ne, x, zero), one, zero);
    return isUnsigned ? ofRest : e.select(isNegative(), e.splat(type, int64_t(-1)), ofRest);
  }
  case UnaryKind::bitwise_not:
    return arith::XOrIOp::create(b, x, e.splat(type, int64_t(-1)));
  case UnaryKind::relu:
    return isUnsigned ? x : e.select(isNegative(), zero, x);
  default:
    llvm_unreachable("(C1) of graph.unary: this kind needs a float type");
  }
}

/// 1 + exp(-x), the divisor of the sigmoid family.
static Value emitLogisticDivisor(Emitter &e, Value x) {
  Value negated = arith::NegFOp::create(e.builder(), x);
  return e.add(e.splatLike(x, 1), e.exp(negated));
}

/// `x/2 (1 + tanh(u))`, `u = sqrt(2/pi) (x + 0.044715 x^3)`, which is `x / (1 + exp(-2 u))`.
static Value emitGeluTanh(Emitter &e, Value x) {
  constexpr double scale = -2 * 0.79788456080286535588;
  Value slope = e.fma(e.mul(x, x), e.splatLike(x, scale * 0.044715), e.splatLike(x, scale));
  return e.divByAtLeastOne(x, e.add(e.splatLike(x, 1), e.exp(e.mul(x, slope))));
}

/// `max(x, 0) + log(1 + exp(-|x|))`, which does not overflow.
static Value emitSoftplus(Emitter &e, Value x) {
  ImplicitLocOpBuilder &b = e.builder();
  Value magnitude = math::AbsFOp::create(b, x);
  Value small = e.log1p(e.exp(arith::NegFOp::create(b, magnitude)));
  return e.add(e.maxOrSecond(e.splatLike(x, 0), x), small);
}

/// `x tanh(log(1 + t))` with `t = exp(x)`, which is `x n / (n + 2)` with `n = t (t + 2)`. From x = 40
/// on the quotient is 1 in f64 too.
static Value emitMish(Emitter &e, Value x) {
  Value t = e.exp(e.minOrSecond(e.splatLike(x, 40), x));
  Value two = e.splatLike(x, 2);
  Value n = e.mul(t, e.add(t, two));
  return e.mul(x, e.div(n, e.add(n, two)));
}

static Value emitSign(Emitter &e, Value x) {
  Value zero = e.splatLike(x, 0);
  Value ofRest = e.select(e.compare(CmpFPredicate::OLT, x, zero), e.splatLike(x, -1), x);
  return e.select(e.compare(CmpFPredicate::OGT, x, zero), e.splatLike(x, 1), ofRest);
}

static Value emitFloat(Emitter &e, UnaryKind kind, Value x) {
  ImplicitLocOpBuilder &b = e.builder();
  auto one = [&] { return e.splatLike(x, 1); };
  switch (kind) {
  case UnaryKind::abs:
    return math::AbsFOp::create(b, x);
  case UnaryKind::neg:
    return arith::NegFOp::create(b, x);
  case UnaryKind::sign:
    return emitSign(e, x);
  case UnaryKind::floor:
    return math::FloorOp::create(b, x);
  case UnaryKind::ceil:
    return math::CeilOp::create(b, x);
  case UnaryKind::round:
    return math::RoundEvenOp::create(b, x);
  case UnaryKind::exp:
    return e.exp(x);
  case UnaryKind::log:
    return e.log(x);
  case UnaryKind::log1p:
    return e.log1p(x);
  case UnaryKind::expm1:
    return e.expm1(x);
  case UnaryKind::sqrt:
    return math::SqrtOp::create(b, x);
  case UnaryKind::rsqrt:
    return e.div(one(), math::SqrtOp::create(b, x));
  case UnaryKind::reciprocal:
    return e.div(one(), x);
  case UnaryKind::sin:
    return e.sin(x);
  case UnaryKind::cos:
    return e.cos(x);
  case UnaryKind::tanh:
    return e.tanh(x);
  case UnaryKind::erf:
    return e.erf(x);
  case UnaryKind::tan:
  case UnaryKind::asin:
  case UnaryKind::acos:
  case UnaryKind::atan:
  case UnaryKind::sinh:
  case UnaryKind::cosh:
  case UnaryKind::asinh:
  case UnaryKind::acosh:
  case UnaryKind::atanh:
    return e.call(stringifyUnaryKind(kind), x);
  case UnaryKind::relu:
    return e.maxOrSecond(e.splatLike(x, 0), x);
  case UnaryKind::sigmoid:
    return e.divByAtLeastOne(one(), emitLogisticDivisor(e, x));
  case UnaryKind::silu:
    return e.divByAtLeastOne(x, emitLogisticDivisor(e, x));
  case UnaryKind::gelu_erf:
    return e.timesNormalBelow(x);
  case UnaryKind::gelu_tanh:
    return emitGeluTanh(e, x);
  case UnaryKind::softplus:
    return emitSoftplus(e, x);
  case UnaryKind::mish:
    return emitMish(e, x);
  case UnaryKind::bitwise_not:
    break;
  }
  llvm_unreachable("(C1) of graph.unary: `not` needs an integer type");
}

Value UnaryOp::emit(Emitter &emitter, ValueRange operands) {
  Type element = getElementTypeOrSelf(getOperand());
  if (isa<FloatType>(element))
    return emitFloat(emitter, getKind(), operands[0]);
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  return emitInteger(emitter, getKind(), operands[0], isUnsigned);
}
