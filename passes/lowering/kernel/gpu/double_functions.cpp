// Pieces of f64 functions, and those that are made of exponentials and logarithms by their definitions.
#include "passes/lowering/kernel/gpu/double_functions.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"

#include <limits>

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
static constexpr double log2Of = 0.693147180559945309;

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

Value DoubleFunctions::call(StringRef name, ValueRange arguments) {
  using Unary = Value (DoubleFunctions::*)(Value);
  using Binary = Value (DoubleFunctions::*)(Value, Value);
  static const llvm::StringMap<Unary> unary{
      {"exp", &DoubleFunctions::exp},     {"expm1", &DoubleFunctions::expm1},
      {"log", &DoubleFunctions::log},     {"log1p", &DoubleFunctions::log1p},
      {"sinh", &DoubleFunctions::sinh},   {"cosh", &DoubleFunctions::cosh},
      {"tanh", &DoubleFunctions::tanh},   {"asinh", &DoubleFunctions::asinh},
      {"acosh", &DoubleFunctions::acosh}, {"atanh", &DoubleFunctions::atanh},
      {"erf", &DoubleFunctions::erf},     {"sin", &DoubleFunctions::sin},
      {"cos", &DoubleFunctions::cos},     {"tan", &DoubleFunctions::tan},
      {"asin", &DoubleFunctions::asin},   {"acos", &DoubleFunctions::acos},
      {"atan", &DoubleFunctions::atan}};
  static const llvm::StringMap<Binary> binary{{"pow", &DoubleFunctions::pow},
                                              {"fmod", &DoubleFunctions::fmod},
                                              {"atan2", &DoubleFunctions::atan2}};
  if (auto found = unary.find(name); found != unary.end())
    return (this->*found->second)(arguments[0]);
  if (auto found = binary.find(name); found != binary.end())
    return (this->*found->second)(arguments[0], arguments[1]);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

Value DoubleFunctions::real(double value) { return e.splat(b.getF64Type(), value); }
Value DoubleFunctions::integer(uint64_t value) {
  return e.splat(b.getI64Type(), static_cast<int64_t>(value));
}
Value DoubleFunctions::bits(Value x) {
  return arith::BitcastOp::create(b, e.vectorOf(b.getI64Type()), x);
}
Value DoubleFunctions::fromBits(Value x) {
  return arith::BitcastOp::create(b, e.vectorOf(b.getF64Type()), x);
}
Value DoubleFunctions::magnitude(Value x) { return math::AbsFOp::create(b, x); }
Value DoubleFunctions::negated(Value x) { return arith::NegFOp::create(b, x); }
Value DoubleFunctions::plus(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
Value DoubleFunctions::minus(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
Value DoubleFunctions::times(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
Value DoubleFunctions::shiftLeft(Value x, Value n) { return arith::ShLIOp::create(b, x, n); }
Value DoubleFunctions::shiftRight(Value x, Value n) { return arith::ShRUIOp::create(b, x, n); }
Value DoubleFunctions::bitOr(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
Value DoubleFunctions::bitAnd(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
Value DoubleFunctions::isNan(Value x) { return e.compare(CmpFPredicate::UNO, x, x); }
Value DoubleFunctions::isNegativeBit(Value x) {
  return e.compare(CmpIPredicate::slt, bits(x), integer(0));
}

Value DoubleFunctions::withSignOf(Value magnitude, Value sign) {
  constexpr uint64_t signBit = uint64_t(1) << 63;
  return fromBits(
      bitOr(bitAnd(bits(magnitude), integer(~signBit)), bitAnd(bits(sign), integer(signBit))));
}

Value DoubleFunctions::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum;
  for (double coefficient : coefficients)
    sum = sum ? e.fma(sum, x, real(coefficient)) : real(coefficient);
  return sum;
}

Value DoubleFunctions::powerOfTwo(Value n) {
  return fromBits(shiftLeft(arith::AddIOp::create(b, n, integer(1023)), integer(52)));
}

/// In two steps: results that are denormal or overflow have powers of two that do not exist.
Value DoubleFunctions::scaled(Value x, Value n) {
  Value firstHalf = arith::ShRSIOp::create(b, n, integer(1));
  Value secondHalf = arith::SubIOp::create(b, n, firstHalf);
  return times(times(x, powerOfTwo(firstHalf)), powerOfTwo(secondHalf));
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

// From here on exp(-x) is lost beside exp(x).
static constexpr double largeHyperbolic = 22;
// From here on the square of a number is all that is left of its square plus 1.
static constexpr double largeInverse = 0x1p28;

Value DoubleFunctions::sinh(Value x) {
  Value a = magnitude(x), t = expm1(a);
  Value small = times(real(0.5), plus(t, e.div(t, plus(t, real(1)))));
  Value root = exp(times(real(0.5), a)); // exp(a) may overflow before its half does.
  Value large = times(times(real(0.5), root), root);
  Value isLarge = e.compare(CmpFPredicate::OGT, a, real(largeHyperbolic));
  return withSignOf(e.select(isLarge, large, small), x);
}

Value DoubleFunctions::cosh(Value x) {
  Value a = magnitude(x), root = exp(times(real(0.5), a));
  Value large = times(times(real(0.5), root), root);
  Value t = exp(e.minOrSecond(real(largeHyperbolic), a));
  Value small = plus(times(real(0.5), t), e.div(real(0.5), t));
  return e.select(e.compare(CmpFPredicate::OGT, a, real(largeHyperbolic)), large, small);
}

Value DoubleFunctions::tanh(Value x) {
  Value t = expm1(times(real(2), e.minOrSecond(real(largeHyperbolic), magnitude(x))));
  return withSignOf(e.div(t, plus(t, real(2))), x);
}

Value DoubleFunctions::asinh(Value x) {
  Value a = magnitude(x), square = times(a, a);
  Value root = math::SqrtOp::create(b, plus(square, real(1)));
  Value small = log1p(plus(a, e.div(square, plus(root, real(1)))));
  Value large = plus(log(a), real(log2Of));
  Value isLarge = e.compare(CmpFPredicate::OGT, a, real(largeInverse));
  return withSignOf(e.select(isLarge, large, small), x);
}

Value DoubleFunctions::acosh(Value x) {
  Value t = minus(x, real(1));
  Value root = math::SqrtOp::create(b, e.fma(t, t, plus(t, t)));
  Value small = log1p(plus(t, root)), large = plus(log(x), real(log2Of));
  Value result = e.select(e.compare(CmpFPredicate::OGT, x, real(largeInverse)), large, small);
  return e.select(e.compare(CmpFPredicate::OLT, x, real(1)), real(notANumber), result);
}

Value DoubleFunctions::atanh(Value x) {
  Value a = magnitude(x);
  Value ratio = e.div(plus(a, a), minus(real(1), a));
  return withSignOf(times(real(0.5), log1p(ratio)), x);
}

//===----------------------------------------------------------------------===//
// The error function
//===----------------------------------------------------------------------===//

/// Up to 1 by a polynomial, and then as `1 - exp(-x^2) q`, where q is one of (x - 2) / (x + 2). Both are
/// the Chebyshev interpolants, which are within 2^-61.
Value DoubleFunctions::erf(Value x) {
  Value square = times(x, x);
  Value small = times(
      x, polynomial(square,
                    {5.9571761477489114044e-11, -1.137284885679167367e-9, 1.4659775274047435814e-8,
                     -1.6350312701054695011e-7, 1.6461000484121368033e-6, -1.4925595266831181565e-5,
                     1.2055331111642710923e-4, -8.5483269808337899052e-4, 5.2239776248180144673e-3,
                     -2.6866170645076793248e-2, 1.1283791670954878666e-1, -3.7612638903183748056e-1,
                     1.1283791670955125738}));
  Value a = e.minOrSecond(real(6), magnitude(x)); // From 6 on the result is 1.
  Value t = e.div(minus(a, real(2)), plus(a, real(2)));
  Value q = polynomial(
      t, {-4.2153010542383209882e-7, -5.3226968556557863375e-7, 1.1780775215625582588e-6,
          3.7892156437584639713e-6, 1.3926211836188029348e-6, -1.3968072301771460689e-5,
          -2.7579864674305785854e-5, 2.7525480361206066702e-5, 1.7436116545392263717e-4,
          4.3555602195154722071e-5, -9.8197702656788892271e-4, -8.4714325092038440093e-4,
          6.9974617392004437674e-3, 3.7328924043277639248e-3, -7.8978581015732125421e-2,
          2.4165819424246646392e-1, -4.2718584741395839652e-1, 2.5539567631050574375e-1});
  Value large = e.fma(negated(exp(negated(times(a, a)))), q, real(1));
  Value isLarge = e.compare(CmpFPredicate::OGT, magnitude(x), real(1));
  return e.select(isLarge, withSignOf(large, x), small);
}
