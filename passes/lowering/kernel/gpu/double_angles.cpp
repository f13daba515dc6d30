// Trigonometric functions of f64 and their inverses.
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lowering/kernel/gpu/double_functions.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

static constexpr double pi = 0x1.921fb54442d18p+1, piLow = 0x1.1a62633145c07p-53;
// pi/2 in three parts, each the nearest f64 to what is left.
static constexpr double quarter = 0x1.921fb54442d18p+0, quarterLow = 0x1.1a62633145c07p-54,
                        quarterLowest = -0x1.f1976b7ed8fbcp-110;

//===----------------------------------------------------------------------===//
// Reduction to an eighth of a turn
//===----------------------------------------------------------------------===//

/// Cody and Waite: below 2^20 the first difference is exact, since it is a multiple of 2^-53 and less
/// than 1.
DoubleFunctions::Angle DoubleFunctions::reduceNear(Value x) {
  constexpr double roundingShift = 0x1.8p52;
  Value shifted = e.fma(x, real(0.636619772367581343), real(roundingShift));
  Value n = minus(shifted, real(roundingShift));
  Value first = e.fma(n, real(-quarter), x);
  Value second = times(n, real(quarterLow)), lost = e.fma(n, real(quarterLow), negated(second));
  Value high = minus(first, second);
  Value low = minus(minus(minus(first, high), second), lost);
  return {bits(shifted), {high, e.fma(n, real(-quarterLowest), low)}};
}

SmallVector<Value> DoubleFunctions::twoOverPi(Value first, unsigned count) {
  // A zero before the digits, for numbers that need no whole word of them.
  static constexpr uint64_t words[] = {0,
                                       0xa2f9836e4e441529,
                                       0xfc2757d1f534ddc0,
                                       0xdb6295993c439041,
                                       0xfe5163abdebbc561,
                                       0xb7246e3a424dd2e0,
                                       0x06492eea09d1921c,
                                       0xfe1deb1cb129a73e,
                                       0xe88235f52ebb4484,
                                       0xe99c7026b45f7e41,
                                       0x3991d639835339f4,
                                       0x9c845f8bbdf9283b,
                                       0x1ff897ffde05980f,
                                       0xef2f118b5a0a6d1f,
                                       0x6d367ecf27cb09b7,
                                       0x4f463f669e5fea2d,
                                       0x7527bac7ebe5f17b,
                                       0x3d0739f78a5292ea,
                                       0x6bfb5fb11f8d5d08,
                                       0x56033046fc7b6bab};
  // In memory, once per kernel.
  auto kernel = b.getBlock()->getParentOp()->getParentOfType<LLVM::LLVMFuncOp>();
  if (!kernel)
    kernel = cast<LLVM::LLVMFuncOp>(b.getBlock()->getParentOp());
  std::string name = (kernel.getName() + "_two_over_pi").str();
  Type word = b.getI64Type();
  Type table = LLVM::LLVMArrayType::get(word, std::size(words));
  constexpr unsigned globalSpace = 1;
  auto global = SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(kernel, b.getStringAttr(name));
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(kernel);
    SmallVector<int64_t> digits(std::begin(words), std::end(words));
    auto type = RankedTensorType::get({static_cast<int64_t>(digits.size())}, word);
    global = LLVM::GlobalOp::create(b, table, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                    DenseElementsAttr::get(type, ArrayRef<int64_t>(digits)),
                                    /*alignment=*/8, globalSpace);
  }
  Value base = LLVM::AddressOfOp::create(b, global);
  SmallVector<Value> loaded(count, integer(0));
  for (int64_t lane = 0; lane < e.width(); ++lane) {
    Value index = vector::ExtractOp::create(b, first, lane);
    for (unsigned i = 0; i < count; ++i) {
      Value place =
          LLVM::GEPOp::create(b, base.getType(), word, base, ArrayRef<LLVM::GEPArg>{index});
      place = LLVM::GEPOp::create(b, base.getType(), word, place,
                                  ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      loaded[i] =
          vector::InsertOp::create(b, LLVM::LoadOp::create(b, word, place), loaded[i], lane);
    }
  }
  return loaded;
}

/// Payne and Hanek: x is M 2^s with a window of the digits of 2/pi; digits before it make multiples of
/// four quarters, digits after it are less than 2^-61 of the distance that any f64 keeps from a multiple
/// of pi/2.
DoubleFunctions::Angle DoubleFunctions::reduceFar(Value x) {
  constexpr uint64_t hiddenBit = uint64_t(1) << 52;
  auto add = [&](Value lhs, Value rhs) -> Value { return arith::AddIOp::create(b, lhs, rhs); };
  Value raw = bits(magnitude(x));
  Value mantissa = bitOr(bitAnd(raw, integer(hiddenBit - 1)), integer(hiddenBit));
  // Infinities and NaN have an exponent too many; what they give is replaced below.
  Value biased = arith::MinSIOp::create(b, shiftRight(raw, integer(52)), integer(2046));
  Value exponent =
      arith::MaxSIOp::create(b, arith::SubIOp::create(b, biased, integer(1075)), integer(-62));
  Value shifted = add(exponent, integer(62));
  Value first = shiftRight(shifted, integer(6)), shift = bitAnd(shifted, integer(63));

  // Three words of the digits, from 2 bits above the point of M times them on.
  SmallVector<Value> words = twoOverPi(first, 4);
  SmallVector<Value, 3> digits;
  for (unsigned i = 0; i < 3; ++i) {
    // A shift by 64 is none: by 1, and by what is left.
    Value spill = shiftRight(shiftRight(words[i + 1], integer(1)),
                             arith::SubIOp::create(b, integer(63), shift));
    digits.push_back(bitOr(shiftLeft(words[i], shift), spill));
  }
  auto product = [&](Value word) {
    auto both = arith::MulUIExtendedOp::create(b, mantissa, word);
    return std::pair<Value, Value>(both.getHigh(), both.getLow());
  };
  auto [carryOfLow, low] = product(digits[2]);
  auto [carryOfMiddle, middle] = product(digits[1]);
  Value high = arith::MulIOp::create(b, mantissa, digits[0]);
  Value sum = add(middle, carryOfLow);
  Value overflows =
      arith::ExtUIOp::create(b, sum.getType(), e.compare(CmpIPredicate::ult, sum, middle));
  middle = sum;
  high = add(add(high, carryOfMiddle), overflows);

  // Two bits count quarters; the rest is rounded to the nearest of them.
  Value quarters = shiftRight(high, integer(62));
  Value fraction = bitOr(shiftLeft(high, integer(2)), shiftRight(middle, integer(62)));
  Value fractionLow = bitOr(shiftLeft(middle, integer(2)), shiftRight(low, integer(62)));
  Value isNegative = e.compare(CmpIPredicate::slt, fraction, integer(0));
  quarters = add(quarters, arith::ExtUIOp::create(b, quarters.getType(), isNegative));
  Value ones = integer(~uint64_t(0));
  fraction = e.select(isNegative, arith::XOrIOp::create(b, fraction, ones), fraction);
  fractionLow = e.select(isNegative, arith::XOrIOp::create(b, fractionLow, ones), fractionLow);
  Value leading = bitAnd(math::CountLeadingZerosOp::create(b, fraction), integer(63));
  Value normal = bitOr(shiftLeft(fraction, leading),
                       shiftRight(shiftRight(fractionLow, integer(1)),
                                  arith::SubIOp::create(b, integer(63), leading)));
  VectorType type = e.vectorOf(b.getF64Type());
  auto toReal = [&](Value value) -> Value { return arith::UIToFPOp::create(b, type, value); };
  constexpr uint64_t lowBits = (1 << 11) - 1;
  Value part = toReal(bitAnd(normal, integer(~lowBits))),
        partLow = toReal(bitAnd(normal, integer(lowBits)));

  // Times pi/2, at the scale of the leading bit.
  Value angle = times(part, real(quarter));
  Value angleLow = e.fma(part, real(quarter), negated(angle));
  angleLow = e.fma(part, real(quarterLow), e.fma(partLow, real(quarter), angleLow));
  Value scale = powerOfTwo(arith::SubIOp::create(b, integer(-64), leading));
  Value signIsOdd = arith::XOrIOp::create(b, isNegative, isNegativeBit(x));
  scale = e.select(signIsOdd, negated(scale), scale);
  Value ofNegative = arith::SubIOp::create(b, integer(0), quarters);
  quarters = e.select(isNegativeBit(x), ofNegative, quarters);
  Value isNumber = e.compare(CmpFPredicate::OLT, magnitude(x), real(0x1p1023 * 2));
  Value rest = e.select(isNumber, times(angle, scale), minus(x, x));
  return {quarters, {rest, times(angleLow, scale)}};
}

DoubleFunctions::Angle DoubleFunctions::reduce(Value x) {
  Value isFar = e.compare(CmpFPredicate::UGT, magnitude(x), real(0x1p20));
  Value anyIsFar = vector::ReductionOp::create(b, vector::CombiningKind::OR, isFar);
  Type words = e.vectorOf(b.getI64Type());
  auto branch = scf::IfOp::create(b, TypeRange{words, x.getType(), x.getType()}, anyIsFar,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Angle near = reduceNear(x), far = reduceFar(x);
  scf::YieldOp::create(b, ValueRange{e.select(isFar, far.quarters, near.quarters),
                                     e.select(isFar, far.rest.high, near.rest.high),
                                     e.select(isFar, far.rest.low, near.rest.low)});
  b.setInsertionPointToStart(branch.elseBlock());
  Angle alone = reduceNear(x);
  scf::YieldOp::create(b, ValueRange{alone.quarters, alone.rest.high, alone.rest.low});
  return {branch.getResult(0), {branch.getResult(1), branch.getResult(2)}};
}

//===----------------------------------------------------------------------===//
// sin, cos, tan
//===----------------------------------------------------------------------===//

/// (-1)^n / (2n + offset)! for n from `last` down to `first`.
static SmallVector<double> seriesOfSin(int offset, int first, int last) {
  SmallVector<double> coefficients;
  double factorial = 1;
  for (int n = 1; n <= 2 * first + offset; ++n)
    factorial *= n;
  for (int n = first; n <= last; ++n) {
    coefficients.insert(coefficients.begin(), (n % 2 ? -1 : 1) / factorial);
    factorial *= (2.0 * n + offset + 1) * (2.0 * n + offset + 2);
  }
  return coefficients;
}

/// The series, of which 10 terms make 2^-60 at an eighth of a turn; the second part of the angle times
/// the slope.
DoubleFunctions::SinCos DoubleFunctions::ofRest(const Sum &rest) {
  Value y = rest.high, square = times(y, y), half = times(real(0.5), square);
  Value cube = times(square, y);
  Value sinTail =
      e.fma(cube, polynomial(square, seriesOfSin(1, 1, 9)), times(rest.low, minus(real(1), half)));
  Value sin = plus(y, sinTail);
  Value top = minus(real(1), half), lost = minus(minus(real(1), top), half);
  Value cosTail = e.fma(times(square, square), polynomial(square, seriesOfSin(0, 2, 9)),
                        minus(lost, times(y, rest.low)));
  return {sin, plus(top, cosTail)};
}

Value DoubleFunctions::sinOfTurned(Value x, int64_t quarterTurns) {
  Angle angle = reduce(x);
  SinCos both = ofRest(angle.rest);
  Value turned = arith::AddIOp::create(b, angle.quarters, integer(quarterTurns));
  auto isSet = [&](int64_t bit) {
    return e.compare(CmpIPredicate::ne, bitAnd(turned, integer(bit)), integer(0));
  };
  Value result = e.select(isSet(1), both.cos, both.sin);
  return e.select(isSet(2), negated(result), result);
}

Value DoubleFunctions::sin(Value x) { return sinOfTurned(x, 0); }
Value DoubleFunctions::cos(Value x) { return sinOfTurned(x, 1); }

Value DoubleFunctions::tan(Value x) {
  Angle angle = reduce(x);
  SinCos both = ofRest(angle.rest);
  Value isOdd = e.compare(CmpIPredicate::ne, bitAnd(angle.quarters, integer(1)), integer(0));
  return e.div(e.select(isOdd, both.cos, both.sin), e.select(isOdd, negated(both.sin), both.cos));
}

//===----------------------------------------------------------------------===//
// Inverses
//===----------------------------------------------------------------------===//

/// The Chebyshev interpolant in the square, within 2^-63.
Value DoubleFunctions::asinOfSmall(Value x, Value square) {
  Value p = polynomial(
      square, {3.3577146947428702012e-2, -2.604448887372043489e-2, 2.4754876283869599541e-2,
               7.0939259432524625807e-4, 1.0003606639881351526e-2, 9.4846978690456215559e-3,
               1.1585679918908950141e-2, 1.3961891184389839796e-2, 1.735294518022547831e-2,
               2.2372151536955743669e-2, 3.0381944649750523541e-2, 4.4642857139506767244e-2,
               7.500000000002855978e-2, 1.666666666666665708e-1});
  return e.fma(times(x, square), p, x);
}

/// Past 1/2, asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)).
Value DoubleFunctions::asin(Value x) {
  Value a = magnitude(x), isLarge = e.compare(CmpFPredicate::OGT, a, real(0.5));
  Value square = e.select(isLarge, times(real(0.5), minus(real(1), a)), times(a, a));
  Value root = e.select(isLarge, math::SqrtOp::create(b, square), a);
  Value small = asinOfSmall(root, square);
  Value large = minus(real(quarter), minus(plus(small, small), real(quarterLow)));
  return withSignOf(e.select(isLarge, large, small), x);
}

Value DoubleFunctions::acos(Value x) {
  Value a = magnitude(x), isLarge = e.compare(CmpFPredicate::OGT, a, real(0.5));
  Value square = e.select(isLarge, times(real(0.5), minus(real(1), a)), times(a, a));
  Value root = e.select(isLarge, math::SqrtOp::create(b, square), a);
  Value small = asinOfSmall(root, square);
  Value twice = plus(small, small);
  Value ofNegative = minus(real(pi), minus(twice, real(piLow)));
  Value isNegative = e.compare(CmpFPredicate::OLT, x, real(0));
  Value large = e.select(isNegative, ofNegative, twice);
  Value middle = minus(real(quarter), minus(withSignOf(small, x), real(quarterLow)));
  return e.select(isLarge, large, middle);
}

/// Up to tan(pi/8) by the Chebyshev interpolant in the square, within 2^-64; above, by the addition
/// theorem from pi/4 and pi/2.
Value DoubleFunctions::atan(Value x) {
  Value a = magnitude(x), one = real(1);
  Value isLarge = e.compare(CmpFPredicate::OGT, a, real(2.41421356237309505));
  Value isMiddle = e.compare(CmpFPredicate::OGT, a, real(0.414213562373095049));
  Value numerator = e.select(isLarge, real(-1), minus(a, one));
  Value denominator = e.select(isLarge, a, plus(a, one));
  Value t = e.select(isMiddle, e.div(numerator, denominator), a);
  auto base = [&](double ofLarge, double ofMiddle) {
    return e.select(isLarge, real(ofLarge), e.select(isMiddle, real(ofMiddle), real(0)));
  };
  Value square = times(t, t);
  Value p = polynomial(
      square, {1.5113765096600924669e-2, -3.3387824501211951519e-2, 4.4995007289840320092e-2,
               -5.2173125740615910016e-2, 5.8768340046141606641e-2, -6.6662052599765261879e-2,
               7.6922810999377432501e-2, -9.0909080590311910269e-2, 1.1111111085322108759e-1,
               -1.4285714285329708164e-1, 1.9999999999997013892e-1, -3.3333333333333324206e-1});
  Value small = plus(e.fma(times(t, square), p, base(quarterLow, quarterLow / 2)), t);
  return withSignOf(plus(base(quarter, quarter / 2), small), x);
}

Value DoubleFunctions::atan2(Value y, Value x) {
  Value ay = magnitude(y), ax = magnitude(x), zero = real(0);
  Value isSteep = e.compare(CmpFPredicate::OGT, ay, ax);
  Value small = e.select(isSteep, ax, ay), large = e.select(isSteep, ay, ax);
  // Both are zero, or both infinite.
  Value isZero = e.compare(CmpFPredicate::OEQ, large, zero),
        isEqual = e.compare(CmpFPredicate::OEQ, ax, ay);
  Value ratio = e.select(isZero, zero, e.select(isEqual, real(1), e.div(small, large)));
  // What the division has rounded away, times the slope.
  Value lost = e.div(e.fma(negated(ratio), large, small), large);
  lost = e.div(lost, e.fma(ratio, ratio, real(1)));
  Value isLostKnown = e.compare(CmpFPredicate::OLT, magnitude(lost), real(1));
  lost = e.select(isLostKnown, lost, zero);
  Value angle = plus(atan(ratio), lost);
  angle = e.select(isSteep, minus(real(quarter), minus(angle, real(quarterLow))), angle);
  angle = e.select(isNegativeBit(x), minus(real(pi), minus(angle, real(piLow))), angle);
  Value result = withSignOf(angle, y);
  return e.select(bitOr(isNan(x), isNan(y)), plus(x, y), result);
}
