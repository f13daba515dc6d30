// What each unary kind computes.
#include "dialects/graph/fold/arithmetic.h"

#include <cmath>

using namespace sheaf;
using namespace sheaf::graph;

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); }

double evaluateFloat(UnaryKind kind, double x) {
  constexpr double kSqrtHalf = 0.70710678118654752440, kSqrtTwoOverPi = 0.79788456080286535588;
  switch (kind) {
  case UnaryKind::abs:
    return std::fabs(x);
  case UnaryKind::neg:
    return -x;
  case UnaryKind::sign:
    return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x;
  case UnaryKind::bitwise_not:
    break;
  case UnaryKind::floor:
    return std::floor(x);
  case UnaryKind::ceil:
    return std::ceil(x);
  case UnaryKind::round:
    return std::nearbyint(x);
  case UnaryKind::exp:
    return std::exp(x);
  case UnaryKind::log:
    return std::log(x);
  case UnaryKind::log1p:
    return std::log1p(x);
  case UnaryKind::expm1:
    return std::expm1(x);
  case UnaryKind::sqrt:
    return std::sqrt(x);
  case UnaryKind::rsqrt:
    return 1 / std::sqrt(x);
  case UnaryKind::reciprocal:
    return 1 / x;
  case UnaryKind::sin:
    return std::sin(x);
  case UnaryKind::cos:
    return std::cos(x);
  case UnaryKind::tan:
    return std::tan(x);
  case UnaryKind::asin:
    return std::asin(x);
  case UnaryKind::acos:
    return std::acos(x);
  case UnaryKind::atan:
    return std::atan(x);
  case UnaryKind::sinh:
    return std::sinh(x);
  case UnaryKind::cosh:
    return std::cosh(x);
  case UnaryKind::tanh:
    return std::tanh(x);
  case UnaryKind::asinh:
    return std::asinh(x);
  case UnaryKind::acosh:
    return std::acosh(x);
  case UnaryKind::atanh:
    return std::atanh(x);
  case UnaryKind::erf:
    return std::erf(x);
  case UnaryKind::relu:
    return x < 0 ? 0 : x;
  case UnaryKind::sigmoid:
    return sigmoid(x);
  case UnaryKind::silu:
    return x * sigmoid(x);
  case UnaryKind::gelu_erf:
    return 0.5 * x * (1 + std::erf(x * kSqrtHalf));
  case UnaryKind::gelu_tanh:
    return 0.5 * x * (1 + std::tanh(kSqrtTwoOverPi * (x + 0.044715 * x * x * x)));
  case UnaryKind::softplus:
    return softplus(x);
  case UnaryKind::mish:
    return x * std::tanh(softplus(x));
  }
  llvm_unreachable("the verifier keeps integer kinds from floats");
}

Bits evaluateInteger(UnaryKind kind, const Element &element, Bits operand) {
  bool isNegative = !element.isUnsigned() && int64_t(element.extend(operand)) < 0;
  switch (kind) {
  case UnaryKind::abs:
    return element.wrap(isNegative ? 0 - operand : operand);
  case UnaryKind::neg:
    return element.wrap(0 - operand);
  case UnaryKind::sign:
    return element.wrap(isNegative ? -1 : operand != 0);
  case UnaryKind::bitwise_not:
    return element.wrap(~operand);
  case UnaryKind::relu:
    return isNegative ? 0 : operand;
  default:
    llvm_unreachable("the verifier keeps float kinds from integers");
  }
}

} // namespace

std::optional<Bits> sheaf::graph::evaluate(UnaryKind kind, const Element &element, Bits operand) {
  if (element.isFloat())
    return element.fromDouble(evaluateFloat(kind, element.toDouble(operand)));
  return evaluateInteger(kind, element, operand);
}
