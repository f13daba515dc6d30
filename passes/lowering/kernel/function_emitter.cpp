// The f32 functions, for every target. Sources of the polynomials: Cephes (Moshier) for exp, log,
// sin and cos; Eigen for tanh and erf. Clamps have the constant first, so that NaN passes through.
#include "passes/lowering/kernel/function_emitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace sheaf::lowering;
using arith::CmpFPredicate;

static bool isF64(Value x) { return getElementTypeOrSelf(x).isF64(); }

Value FunctionEmitter::integer(int64_t value) { return splat(builder().getI32Type(), value); }

Value FunctionEmitter::bits(Value x) {
  return arith::BitcastOp::create(builder(), vectorOf(builder().getI32Type()), x);
}

Value FunctionEmitter::fromBits(Value x) {
  return arith::BitcastOp::create(builder(), vectorOf(builder().getF32Type()), x);
}

Value FunctionEmitter::powerOfTwo(Value n) {
  Value biased = arith::AddIOp::create(builder(), n, integer(127));
  return fromBits(arith::ShLIOp::create(builder(), biased, integer(23)));
}

Value FunctionEmitter::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum;
  for (double coefficient : coefficients) {
    Value term = splatLike(x, coefficient);
    sum = sum ? fma(sum, x, term) : term;
  }
  return sum;
}

FunctionEmitter::Exponent FunctionEmitter::splitExponent(Value x) {
  Value shifted = fma(x, splatLike(x, 1.44269504088896341), splatLike(x, roundingShift));
  Value n = sub(shifted, splatLike(x, roundingShift));
  // log(2) in two parts: n times the first is exact.
  Value rest = fma(n, splatLike(x, -0.693359375), x);
  rest = fma(n, splatLike(x, 2.12194440e-4), rest);
  Value integral = arith::SubIOp::create(builder(), bits(shifted), integer(roundingShiftBits));
  return {n, integral, rest};
}

Value FunctionEmitter::expm1OfRest(Value rest) {
  Value p = polynomial(rest, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2,
                              1.6666665459e-1, 5.0000001201e-1});
  return fma(p, mul(rest, rest), rest);
}

Value FunctionEmitter::exp(Value x) {
  if (isF64(x))
    return call("exp", x);
  if (mayEstimate())
    return expEstimate(x);
  // Below, results are denormal: they become 0, since making them takes a hundred times longer.
  constexpr double lowest = -87.3365448;
  Value isTiny = compare(CmpFPredicate::OLT, x, splatLike(x, lowest));
  x = minOrSecond(splatLike(x, 89), x);
  if (!hasFloatScaling()) // Else the lanes below are masked, whatever is computed in them.
    x = maxOrSecond(splatLike(x, lowest), x);
  Exponent split = splitExponent(x);
  Value fraction = add(expm1OfRest(split.rest), splatLike(x, 1));
  return select(isTiny, splatLike(x, 0), scaled(fraction, split));
}

Value FunctionEmitter::divByAtLeastOne(Value x, Value y) {
  return !isF64(x) && mayEstimate() ? mul(x, reciprocalEstimate(y)) : div(x, y);
}

FunctionEmitter::Reciprocal FunctionEmitter::reciprocalOf(Value y) {
  Value magnitude = math::AbsFOp::create(builder(), y);
  Value isSmall = compare(CmpFPredicate::OLT, magnitude, splatLike(y, 0x1p-100));
  Value isLarge = compare(CmpFPredicate::OGT, magnitude, splatLike(y, 0x1p100));
  Value prescale = select(isSmall, splatLike(y, 0x1p64),
                          select(isLarge, splatLike(y, 0x1p-64), splatLike(y, 1)));
  return {prescale, Emitter::div(splatLike(y, 1), mul(y, prescale))};
}

Value FunctionEmitter::mulByReciprocal(Value x, const Reciprocal &y) {
  return mul(mul(x, y.prescale), y.factor);
}

Value FunctionEmitter::divByModerate(Value x, Value y) {
  if (!hasReciprocalEstimate())
    return div(x, y);
  // A step of Newton's for the reciprocal, one for the quotient (Markstein); the signs keep a -0.
  auto negated = [&](Value value) { return arith::NegFOp::create(builder(), value); };
  Value reciprocal = reciprocalEstimate(y);
  reciprocal = fma(fma(negated(y), reciprocal, splatLike(x, 1)), reciprocal, reciprocal);
  Value quotient = mul(x, reciprocal);
  Value excess = fma(y, quotient, negated(x));
  return fma(excess, negated(reciprocal), quotient);
}

/// `fraction * 2^n`.
Value FunctionEmitter::scaled(Value fraction, const Exponent &exponent) {
  if (hasFloatScaling())
    return scaledByFloat(fraction, exponent.n);
  ImplicitLocOpBuilder &b = builder();
  // In two steps: 2^128 has no exponent.
  Value firstHalf = arith::ShRSIOp::create(b, exponent.bits, integer(1));
  Value secondHalf = arith::SubIOp::create(b, exponent.bits, firstHalf);
  return mul(mul(fraction, powerOfTwo(firstHalf)), powerOfTwo(secondHalf));
}

Value FunctionEmitter::expm1(Value x) {
  if (isF64(x))
    return call("expm1", x);
  ImplicitLocOpBuilder &b = builder();
  x = maxOrSecond(splatLike(x, -18), minOrSecond(splatLike(x, 89), x));
  Exponent split = splitExponent(x);
  // 2^n q + (2^n - 1) with q = exp(rest) - 1, halved so that n = 128 does not overflow too early.
  Value scale = powerOfTwo(arith::SubIOp::create(b, split.bits, integer(1)));
  Value half = fma(scale, expm1OfRest(split.rest), sub(scale, splatLike(x, 0.5)));
  return add(half, half);
}

Value FunctionEmitter::log(Value x) {
  if (isF64(x))
    return call("log", x);
  ImplicitLocOpBuilder &b = builder();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value zero = splatLike(x, 0);
  Value isDenormal = compare(CmpFPredicate::OLT, x, splatLike(x, 1.17549435e-38));
  Value normal = select(isDenormal, mul(x, splatLike(x, 33554432)), x); // times 2^25

  // x = m 2^e with m in [sqrt(1/2), sqrt(2)).
  Value raw = bits(normal);
  Value mantissa = fromBits(arith::OrIOp::create(
      b, arith::AndIOp::create(b, raw, integer(0x007fffff)), integer(0x3f000000)));
  Value biased = arith::ShRUIOp::create(b, raw, integer(23));
  Value e = arith::SIToFPOp::create(b, vectorOf(b.getF32Type()),
                                    arith::SubIOp::create(b, biased, integer(126)));
  e = sub(e, select(isDenormal, splatLike(x, 25), zero));
  Value isLow = compare(CmpFPredicate::OLT, mantissa, splatLike(x, 0.707106781186547524));
  e = sub(e, select(isLow, splatLike(x, 1), zero));
  Value m = sub(select(isLow, add(mantissa, mantissa), mantissa), splatLike(x, 1));

  Value square = mul(m, m);
  Value p = polynomial(m, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1,
                           1.4249322787e-1, -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1,
                           3.3333331174e-1});
  Value tail = fma(e, splatLike(x, -2.12194440e-4), mul(mul(p, m), square));
  tail = fma(splatLike(x, -0.5), square, tail);
  Value result = fma(e, splatLike(x, 0.693359375), add(m, tail));

  // log(0) = -inf, log(inf) = inf, of NaN and negative values NaN.
  result = select(compare(CmpFPredicate::OEQ, x, splatLike(x, infinity)), x, result);
  result = select(compare(CmpFPredicate::OEQ, x, zero), splatLike(x, -infinity), result);
  Value hasNone = compare(CmpFPredicate::ULT, x, zero);
  return select(hasNone, splatLike(x, std::numeric_limits<double>::quiet_NaN()), result);
}

/// `log(u) x / (u - 1)` with `u = 1 + x` rounded corrects the rounding of u (Kahan).
Value FunctionEmitter::log1p(Value x) {
  if (isF64(x))
    return call("log1p", x);
  Value one = splatLike(x, 1);
  Value u = add(x, one);
  Value corrected = mul(log(u), div(x, sub(u, one)));
  Value infinity = splatLike(x, std::numeric_limits<double>::infinity());
  Value isExact = arith::OrIOp::create(builder(), compare(CmpFPredicate::OEQ, u, one),
                                       compare(CmpFPredicate::OEQ, x, infinity));
  return select(isExact, x, corrected);
}

Value FunctionEmitter::tanh(Value x) {
  if (isF64(x))
    return call("tanh", x);
  // From here on the quotient is 1.
  constexpr double limit = 7.90531110763549805;
  x = maxOrSecond(splatLike(x, -limit), minOrSecond(splatLike(x, limit), x));
  Value square = mul(x, x);
  Value p = polynomial(square, {-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11,
                                5.12229709037114e-08, 1.48572235717979e-05, 6.37261928875436e-04,
                                4.89352455891786e-03});
  Value q = polynomial(square, {1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03,
                                4.89352518554385e-03});
  return divByModerate(mul(x, p), q);
}

Value FunctionEmitter::erf(Value x) {
  if (isF64(x))
    return call("erf", x);
  // From here on the quotient is 1.
  constexpr double limit = 3.832506856900711;
  x = maxOrSecond(splatLike(x, -limit), minOrSecond(splatLike(x, limit), x));
  Value square = mul(x, x);
  Value p = polynomial(square, {0.00022905065861350646, 0.0034082910107109506, 0.050955695062380861,
                                0.18520832239976145, 1.128379143519084});
  Value q =
      polynomial(square, {-1.1791602954361697e-7, 0.000023547966471313185, 0.0010179625278914885,
                          0.014070470171167667, 0.11098505178285362, 0.49746925110067538, 1.0});
  return divByModerate(mul(x, p), q);
}

/// As one quotient, `(q(x^2) + x p(x^2)) / 2 q(x^2)` with the polynomials of erf, whose sum is at most 0 at
/// the lower limit: there the result is 0 however large `x` is.
Value FunctionEmitter::timesNormalBelow(Value x) {
  if (isF64(x) || !mayEstimate())
    return Emitter::timesNormalBelow(x);
  constexpr double limit = 5.464;
  Value clamped = maxOrSecond(splatLike(x, -limit), minOrSecond(splatLike(x, limit), x));
  Value square = mul(clamped, clamped);
  Value p = polynomial(square, {1.0122704621303456e-05, 0.00030125321074135815,
                                0.009007779379670846, 0.06548103035052782, 0.7978845441318128});
  Value q =
      polynomial(square, {-1.842437961619015e-09, 7.35873952228537e-07, 6.362265799321803e-05,
                          0.0017588087713959583, 0.027746262945713404, 0.24873462555033768, 1.0});
  Value sum = maxOrSecond(splatLike(x, 0), fma(clamped, p, q));
  return mul(mul(mul(x, splatLike(x, 0.5)), reciprocalEstimate(q)), sum);
}

Value FunctionEmitter::sinOfTurned(Value x, int64_t quarterTurns, StringRef name) {
  ImplicitLocOpBuilder &b = builder();
  Value shifted = fma(x, splatLike(x, 0.636619772367581343), splatLike(x, roundingShift));
  Value n = sub(shifted, splatLike(x, roundingShift));
  // pi/2 in three parts (Cody and Waite).
  Value rest = fma(n, splatLike(x, -1.57079625129699707), x);
  rest = fma(n, splatLike(x, -7.54978941586159635e-08), rest);
  rest = fma(n, splatLike(x, -5.39030295347423840e-15), rest);
  Value square = mul(rest, rest);
  Value sinTail = polynomial(square, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
  Value sinOfRest = fma(mul(sinTail, square), rest, rest);
  Value cosTail =
      polynomial(square, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2});
  Value cosOfRest =
      fma(mul(cosTail, square), square, fma(square, splatLike(x, -0.5), splatLike(x, 1)));

  // The shift is a multiple of 4, so the low bits count quarters.
  Value quarter = arith::AddIOp::create(b, bits(shifted), integer(quarterTurns));
  auto isSet = [&](int64_t bit) {
    Value masked = arith::AndIOp::create(b, quarter, integer(bit));
    return compare(arith::CmpIPredicate::ne, masked, integer(0));
  };
  Value result = select(isSet(1), cosOfRest, sinOfRest);
  result = select(isSet(2), arith::NegFOp::create(b, result), result);

  // Past 2^16 turns the three parts are too few; infinities and NaN go that way too.
  Value isFar = compare(CmpFPredicate::UGT, math::AbsFOp::create(b, x), splatLike(x, 100000));
  Value anyIsFar = vector::ReductionOp::create(b, vector::CombiningKind::OR, isFar);
  auto branch = scf::IfOp::create(b, x.getType(), anyIsFar, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, call(name, x));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, result);
  return branch.getResult(0);
}

Value FunctionEmitter::sin(Value x) {
  return isF64(x) ? call("sin", x) : sinOfTurned(x, /*quarterTurns=*/0, "sin");
}

Value FunctionEmitter::cos(Value x) {
  return isF64(x) ? call("cos", x) : sinOfTurned(x, /*quarterTurns=*/1, "cos");
}
