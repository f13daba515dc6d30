// exp, log and pow of f64, and the remainder of division.
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lowering/kernel/gpu/double_functions.h"

#include <limits>

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

// Adding 1.5 * 2^52 leaves the nearest integer in the low bits.
static constexpr double roundingShift = 0x1.8p52;
static constexpr uint64_t roundingShiftBits = 0x4338000000000000;
// log(2) in two parts: multiples of the first by exponents are exact.
static constexpr double log2High = 0x1.62e42feep-1, log2Low = 0x1.a39ef35793c76p-33;

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

DoubleFunctions::Exponent DoubleFunctions::splitExponent(Value x) {
  Value shifted = e.fma(x, real(1.44269504088896341), real(roundingShift));
  Value n = minus(shifted, real(roundingShift));
  Value rest = e.fma(n, real(-log2Low), e.fma(n, real(-log2High), x));
  return {n, arith::SubIOp::create(b, bits(shifted), integer(roundingShiftBits)), rest};
}

/// The first 13 terms of the series: the next is 2^-58 of the rest at log(2) / 2.
Value DoubleFunctions::expm1OfRest(Value rest) {
  SmallVector<double> coefficients;
  double factorial = 1;
  for (int n = 2; n <= 13; ++n) {
    factorial *= n;
    coefficients.insert(coefficients.begin(), 1 / factorial);
  }
  return e.fma(polynomial(rest, coefficients), times(rest, rest), rest);
}

Value DoubleFunctions::exp(Value x, Value low) {
  // Beyond, the results are 0 and infinity. Constants come first, so that NaN passes.
  x = e.maxOrSecond(real(-746), e.minOrSecond(real(710), x));
  Exponent split = splitExponent(x);
  Value rest = low ? plus(split.rest, low) : split.rest;
  return scaled(plus(expm1OfRest(rest), real(1)), split.bits);
}

Value DoubleFunctions::exp(Value x) { return exp(x, nullptr); }

Value DoubleFunctions::expm1(Value x) {
  x = e.maxOrSecond(real(-40), e.minOrSecond(real(710), x));
  Exponent split = splitExponent(x);
  // 2^n q + (2^n - 1) with q = exp(rest) - 1, halved so that n = 1024 does not overflow too early.
  Value scale = powerOfTwo(arith::SubIOp::create(b, split.bits, integer(1)));
  Value half = e.fma(scale, expm1OfRest(split.rest), minus(scale, real(0.5)));
  return plus(half, half);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

DoubleFunctions::Scientific DoubleFunctions::split(Value x) {
  Value isDenormal = e.compare(CmpFPredicate::OLT, x, real(std::numeric_limits<double>::min()));
  Value raw = bits(e.select(isDenormal, times(x, real(0x1p54)), x));
  Value m = fromBits(bitOr(bitAnd(raw, integer(0x000fffffffffffff)), integer(0x3fe0000000000000)));
  Value biased = shiftRight(raw, integer(52));
  Value exponent = arith::SIToFPOp::create(b, e.vectorOf(b.getF64Type()),
                                           arith::SubIOp::create(b, biased, integer(1022)));
  exponent = minus(exponent, e.select(isDenormal, real(54), real(0)));
  Value isLow = e.compare(CmpFPredicate::OLT, m, real(0.707106781186547524));
  exponent = minus(exponent, e.select(isLow, real(1), real(0)));
  return {e.select(isLow, plus(m, m), m), exponent};
}

/// log(0) = -infinity, log(infinity) = infinity, of NaN and negative values NaN.
Value DoubleFunctions::withSpecialsOfLog(Value x, Value ofRest) {
  Value result = e.select(e.compare(CmpFPredicate::OEQ, x, real(infinity)), x, ofRest);
  result = e.select(e.compare(CmpFPredicate::OEQ, x, real(0)), real(-infinity), result);
  return e.select(e.compare(CmpFPredicate::ULT, x, real(0)), real(notANumber), result);
}

/// 2 / (2n + 1) for n from `last` down to `first`: the series of log((1 + s) / (1 - s)) / s in s^2.
static SmallVector<double> seriesOfLog(int first, int last) {
  SmallVector<double> coefficients;
  for (int n = last; n >= first; --n)
    coefficients.push_back(2.0 / (2 * n + 1));
  return coefficients;
}

/// With f = m - 1 and s = f / (2 + f), log(m) is f - f^2/2 + s (f^2/2 + r), where r has what follows the
/// first term of the series: f is exact, and all else is small beside it.
Value DoubleFunctions::log(Value x) {
  Scientific parts = split(x);
  Value f = minus(parts.m, real(1));
  Value s = e.div(f, plus(f, real(2)));
  Value square = times(s, s), half = times(real(0.5), times(f, f));
  Value r = times(square, polynomial(square, seriesOfLog(1, 11)));
  Value tail = e.fma(s, plus(half, r), times(parts.e, real(log2Low)));
  Value result = minus(times(parts.e, real(log2High)), minus(minus(half, tail), f));
  return withSpecialsOfLog(x, result);
}

Value DoubleFunctions::log1p(Value x) {
  // What rounding 1 + x has taken away is put back, divided by the slope.
  Value one = real(1), u = plus(x, one);
  Value isLarge = e.compare(CmpFPredicate::OGE, x, one);
  Value lost = e.select(isLarge, minus(one, minus(u, x)), minus(x, minus(u, one)));
  Value corrected = plus(log(u), e.div(lost, u));
  // Of -1 and infinity the correction is none.
  Value isEdge = bitOr(e.compare(CmpFPredicate::OEQ, u, real(0)),
                       e.compare(CmpFPredicate::OEQ, x, real(infinity)));
  return e.select(isEdge, log(u), corrected);
}

DoubleFunctions::Sum DoubleFunctions::logInTwoParts(Value x) {
  Scientific parts = split(x);
  Value f = minus(parts.m, real(1));
  // s = f / (1 + m).
  Value divisor = plus(parts.m, real(1));
  Value divisorLow = minus(parts.m, minus(divisor, real(1)));
  Value s = e.div(f, divisor);
  Value rest = e.fma(negated(s), divisor, f);
  rest = e.fma(negated(s), divisorLow, rest);
  Value sLow = e.div(rest, divisor);
  // Its square.
  Value z = times(s, s);
  Value zLow = e.fma(times(real(2), s), sLow, e.fma(s, s, negated(z)));
  // 2 + 2/3 z + ..., where only the first two terms need both parts.
  constexpr double third = 0x1.5555555555555p-1, thirdLow = 0x1.5555555555555p-55;
  Value a = times(real(third), z);
  Value aLow = e.fma(real(third), z, negated(a));
  aLow = e.fma(real(third), zLow, e.fma(real(thirdLow), z, aLow));
  Value tail = times(times(z, z), polynomial(z, seriesOfLog(2, 12)));
  Value t = plus(real(2), a);
  Value tLow = plus(minus(a, minus(t, real(2))), plus(aLow, tail));
  // log(m) = s t.
  Value l = times(s, t);
  Value lLow = e.fma(s, t, negated(l));
  lLow = e.fma(s, tLow, e.fma(sLow, t, lLow));
  Value ofExponent = times(parts.e, real(log2High));
  Value high = plus(ofExponent, l);
  Value low = plus(minus(l, minus(high, ofExponent)), e.fma(parts.e, real(log2Low), lLow));
  return {high, low};
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// exp(y log|x|) with the logarithm in two parts: y log|x| is up to 745, which costs 10 bits.
Value DoubleFunctions::pow(Value x, Value y) {
  Value a = magnitude(x), one = real(1), zero = real(0);
  Sum logarithm = logInTwoParts(a);
  Value high = withSpecialsOfLog(a, logarithm.high);
  Value isFinite = e.compare(CmpFPredicate::OLT, magnitude(high), real(infinity));
  Value low = e.select(isFinite, logarithm.low, zero);
  Value product = times(y, high);
  Value productLow = e.fma(y, low, e.fma(y, high, negated(product)));
  Value isNear = e.compare(CmpFPredicate::OLT, magnitude(product), real(750));
  Value result = exp(product, e.select(isNear, productLow, zero));

  // Negative numbers have powers by integers.
  Value isIntegral = e.compare(CmpFPredicate::OEQ, math::FloorOp::create(b, y), y);
  Value halfOfY = times(real(0.5), y);
  Value isEven = e.compare(CmpFPredicate::OEQ, math::FloorOp::create(b, halfOfY), halfOfY);
  Value isOdd =
      bitAnd(isIntegral, e.compare(CmpIPredicate::eq, isEven, e.splat(b.getI1Type(), int64_t(0))));
  result = e.select(bitAnd(isOdd, isNegativeBit(x)), negated(result), result);
  Value isNegative = bitAnd(e.compare(CmpFPredicate::OLT, x, zero),
                            e.compare(CmpFPredicate::OGT, x, real(-infinity)));
  Value isFractional = e.compare(CmpIPredicate::eq, isIntegral, e.splat(b.getI1Type(), int64_t(0)));
  result = e.select(bitAnd(isNegative, isFractional), real(notANumber), result);

  Value isInfinite = e.compare(CmpFPredicate::OEQ, magnitude(y), real(infinity));
  Value isUnit = bitAnd(e.compare(CmpFPredicate::OEQ, a, one), isInfinite);
  result = e.select(isUnit, one, result);
  result = e.select(bitOr(isNan(x), isNan(y)), real(notANumber), result);
  Value isOne =
      bitOr(e.compare(CmpFPredicate::OEQ, x, one), e.compare(CmpFPredicate::OEQ, y, zero));
  return e.select(isOne, one, result);
}

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

/// Long division: each step takes off a multiple of `|y| 2^k` of at most 52 bits, which leaves an exact
/// difference.
Value DoubleFunctions::fmod(Value x, Value y) {
  Value zero = real(0), a = magnitude(x), divisor = magnitude(y);
  Value hasNone = bitOr(bitOr(isNan(y), e.compare(CmpFPredicate::OEQ, divisor, zero)),
                        e.compare(CmpFPredicate::UEQ, a, real(infinity)));
  divisor = e.select(hasNone, real(1), divisor);
  Value start = e.select(hasNone, zero, a);

  // Of denormals too: as if they had the exponent of their first bit.
  auto exponentOf = [&](Value value) -> Value {
    Value raw = bits(value), biased = shiftRight(raw, integer(52));
    Value leading = math::CountLeadingZerosOp::create(b, raw);
    Value ofDenormal = arith::SubIOp::create(b, integer(12), leading);
    return e.select(e.compare(CmpIPredicate::eq, biased, integer(0)), ofDenormal, biased);
  };
  Value exponentOfDivisor = exponentOf(divisor);
  auto isAtLeast = [&](Value rest) { return e.compare(CmpFPredicate::OGE, rest, divisor); };
  auto loop = scf::WhileOp::create(
      b, TypeRange(start.getType()), ValueRange(start),
      [&](OpBuilder &, Location, ValueRange rest) {
        Value any = vector::ReductionOp::create(b, vector::CombiningKind::OR, isAtLeast(rest[0]));
        scf::ConditionOp::create(b, any, rest);
      },
      [&](OpBuilder &, Location, ValueRange rest) {
        Value distance = arith::SubIOp::create(b, exponentOf(rest[0]), exponentOfDivisor);
        Value shift = arith::SubIOp::create(b, distance, integer(51));
        shift = arith::MaxSIOp::create(b, shift, integer(0));
        Value multiple = scaled(divisor, shift);
        Value quotient = math::FloorOp::create(b, e.div(rest[0], multiple));
        Value left = e.fma(negated(quotient), multiple, rest[0]);
        // The quotient may have been rounded up.
        Value isPast = e.compare(CmpFPredicate::OLT, left, zero);
        left = e.select(isPast, plus(left, multiple), left);
        // An infinite divisor leaves all, and has no multiples.
        scf::YieldOp::create(b, e.select(isAtLeast(rest[0]), left, rest[0]));
      });
  Value result = withSignOf(loop.getResult(0), x);
  return e.select(hasNone, real(notANumber), result);
}
