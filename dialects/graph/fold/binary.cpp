// What each binary kind, comparison and reduction computes.
#include "dialects/graph/fold/arithmetic.h"

#include <cmath>

using namespace sheaf;
using namespace sheaf::graph;

namespace {

/// NaN when either is; plus zero is larger than minus zero.
double maximum(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return std::nan("");
  return x > y || (x == y && !std::signbit(x)) ? x : y;
}

double minimum(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return std::nan("");
  return x < y || (x == y && std::signbit(x)) ? x : y;
}

double evaluateFloat(BinaryKind kind, double x, double y) {
  switch (kind) {
  case BinaryKind::add:
    return x + y;
  case BinaryKind::sub:
    return x - y;
  case BinaryKind::mul:
    return x * y;
  case BinaryKind::div:
    return x / y;
  case BinaryKind::pow:
    return std::pow(x, y);
  case BinaryKind::max:
    return maximum(x, y);
  case BinaryKind::min:
    return minimum(x, y);
  case BinaryKind::rem:
    return std::fmod(x, y);
  case BinaryKind::mod: {
    double rest = std::fmod(x, y);
    if (rest == 0)
      return std::copysign(0.0, y);
    return (rest < 0) != (y < 0) ? rest + y : rest;
  }
  case BinaryKind::atan2:
    return std::atan2(x, y);
  default:
    llvm_unreachable("the verifier keeps integer kinds from floats");
  }
}

/// `base` to a power, wrapping. Fractions, of negative powers, truncate toward zero.
Bits power(const Element &element, Bits base, Bits exponent) {
  if (!element.isUnsigned() && int64_t(exponent) < 0) {
    bool isMinusOne = int64_t(base) == -1;
    return isMinusOne ? (exponent & 1 ? base : 1) : base == 1;
  }
  Bits result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;
  return result;
}

/// Quotient toward zero and its rest; nothing traps.
std::pair<Bits, Bits> divide(const Element &element, Bits x, Bits y) {
  if (y == 0)
    return {0, 0};
  if (element.isUnsigned())
    return {x / y, x % y};
  if (int64_t(y) == -1)
    return {0 - x, 0};
  return {Bits(int64_t(x) / int64_t(y)), Bits(int64_t(x) % int64_t(y))};
}

/// Operands and result are extended to 64 bits; bits above the width may be wrong.
Bits evaluateInteger(BinaryKind kind, const Element &element, Bits x, Bits y) {
  bool isUnsigned = element.isUnsigned();
  bool isLess = isUnsigned ? x < y : int64_t(x) < int64_t(y);
  switch (kind) {
  case BinaryKind::add:
    return x + y;
  case BinaryKind::sub:
    return x - y;
  case BinaryKind::mul:
    return x * y;
  case BinaryKind::div:
    return divide(element, x, y).first;
  case BinaryKind::rem:
    return divide(element, x, y).second;
  case BinaryKind::mod: {
    Bits rest = divide(element, x, y).second;
    bool hasOtherSign = !isUnsigned && rest != 0 && (int64_t(rest) < 0) != (int64_t(y) < 0);
    return hasOtherSign ? rest + y : rest;
  }
  case BinaryKind::pow:
    return power(element, x, y);
  case BinaryKind::max:
    return isLess ? y : x;
  case BinaryKind::min:
    return isLess ? x : y;
  case BinaryKind::bitwise_and:
    return x & y;
  case BinaryKind::bitwise_or:
    return x | y;
  case BinaryKind::bitwise_xor:
    return x ^ y;
  case BinaryKind::shift_left:
    return y < element.getWidth() ? x << y : 0;
  case BinaryKind::shift_right:
    if (isUnsigned)
      return y < element.getWidth() ? x >> y : 0;
    return Bits(int64_t(x) >> std::min<Bits>(y, 63));
  case BinaryKind::atan2:
    break;
  }
  llvm_unreachable("the verifier keeps float kinds from integers");
}

template <typename T> bool compare(CompareKind kind, T x, T y) {
  switch (kind) {
  case CompareKind::eq:
    return x == y;
  case CompareKind::ne:
    return x != y;
  case CompareKind::lt:
    return x < y;
  case CompareKind::le:
    return x <= y;
  case CompareKind::gt:
    return x > y;
  case CompareKind::ge:
    return x >= y;
  }
  llvm_unreachable("all comparisons are above");
}

} // namespace

std::optional<Bits> sheaf::graph::evaluate(BinaryKind kind, const Element &element, Bits lhs,
                                           Bits rhs) {
  if (element.isFloat())
    return element.fromDouble(evaluateFloat(kind, element.toDouble(lhs), element.toDouble(rhs)));
  return element.wrap(evaluateInteger(kind, element, element.extend(lhs), element.extend(rhs)));
}

bool sheaf::graph::evaluate(CompareKind kind, const Element &element, Bits lhs, Bits rhs) {
  if (element.isFloat())
    return compare(kind, element.toDouble(lhs), element.toDouble(rhs));
  if (element.isUnsigned())
    return compare(kind, lhs, rhs);
  return compare(kind, int64_t(element.extend(lhs)), int64_t(element.extend(rhs)));
}

std::optional<Bits> sheaf::graph::neutralOf(ReduceKind kind, const Element &element) {
  switch (kind) {
  case ReduceKind::sum:
  case ReduceKind::any:
    return element.isFloat() ? element.fromDouble(0) : 0;
  case ReduceKind::prod:
  case ReduceKind::all:
    return element.isFloat() ? element.fromDouble(1) : 1;
  case ReduceKind::max:
    return element.lowest();
  case ReduceKind::min:
    return element.highest();
  }
  llvm_unreachable("all reductions are above");
}

BinaryKind sheaf::graph::combinerOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::sum:
    return BinaryKind::add;
  case ReduceKind::prod:
    return BinaryKind::mul;
  case ReduceKind::max:
    return BinaryKind::max;
  case ReduceKind::min:
    return BinaryKind::min;
  case ReduceKind::any:
    return BinaryKind::bitwise_or;
  case ReduceKind::all:
    return BinaryKind::bitwise_and;
  }
  llvm_unreachable("all reductions are above");
}
