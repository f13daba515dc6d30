// Activation functions.
#include "importers/onnx/node.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

template <UnaryKind kind> void importUnary(Node &n) {
  n.expectInputs(1, 1);
  n.output(0, n.unary(kind, n.input(0)));
}

/// Where x is positive (`x > 0`), else.
Value ifPositive(Node &n, Value x, Value onTrue, Value onFalse) {
  return n.select(n.compare(CompareKind::gt, x, n.number(0, x)), onTrue, onFalse);
}

Value clampUnit(Node &n, Value x) { return n.max(n.number(0, x), n.min(n.number(1, x), x)); }

/// `alpha (exp(x) - 1)` without overflow for positive x, whose value is not used.
Value expm1Scaled(Node &n, Value x, double alpha) {
  Value bounded = n.min(x, n.number(0, x));
  return n.mul(n.number(alpha, x), n.unary(UnaryKind::expm1, bounded));
}

void importElu(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  n.output(0, ifPositive(n, x, x, expm1Scaled(n, x, n.real("alpha", 1))));
}

void importSelu(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  double alpha = n.real("alpha", 1.67326319217681884765625f);
  double gamma = n.real("gamma", 1.05070102214813232421875f);
  n.output(0, ifPositive(n, x, n.mul(n.number(gamma, x), x), expm1Scaled(n, x, alpha * gamma)));
}

/// `max(0, x) + min(0, alpha (exp(x / alpha) - 1))`.
void importCelu(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0), zero = n.number(0, x);
  double alpha = n.real("alpha", 1);
  Value scaled = n.mul(n.number(alpha, x), n.unary(UnaryKind::expm1, n.div(x, n.number(alpha, x))));
  n.output(0, n.add(n.max(x, zero), n.min(scaled, zero)));
}

void importLeakyRelu(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  Value scaled = n.mul(n.number(n.real("alpha", 0.01f), x), x);
  n.output(0, n.select(n.compare(CompareKind::lt, x, n.number(0, x)), scaled, x));
}

void importPRelu(Node &n) {
  n.expectInputs(2, 2);
  Value x = n.input(0), slope = n.input(1);
  if (n.opset() < 7 && n.rank(slope) == 1 && n.dim(slope, 0) != 1) // One per channel.
    slope = n.broadcastDims(slope, n.shape(x), {1});
  slope = n.broadcast(slope, n.shape(x));
  n.output(0, n.select(n.compare(CompareKind::lt, x, n.number(0, x)), n.mul(slope, x), x));
}

void importThresholdedRelu(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  Value above = n.compare(CompareKind::gt, x, n.number(n.real("alpha", 1), x));
  n.output(0, n.select(above, x, n.number(0, x)));
}

Value hardSigmoid(Node &n, Value x, double alpha, double beta) {
  return clampUnit(n, n.add(n.mul(n.number(alpha, x), x), n.number(beta, x)));
}

void importHardSigmoid(Node &n) {
  n.expectInputs(1, 1);
  n.output(0, hardSigmoid(n, n.input(0), n.real("alpha", 0.2f), n.real("beta", 0.5f)));
}

void importHardSwish(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  n.output(0, n.mul(x, hardSigmoid(n, x, 1.0 / 6, 0.5)));
}

void importShrink(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  double bias = n.real("bias", 0), lambda = n.real("lambd", 0.5f);
  Value below = n.compare(CompareKind::lt, x, n.number(-lambda, x));
  Value above = n.compare(CompareKind::gt, x, n.number(lambda, x));
  Value shrunk = n.select(above, n.sub(x, n.number(bias, x)), n.number(0, x));
  n.output(0, n.select(below, n.add(x, n.number(bias, x)), shrunk));
}

void importSoftsign(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  n.output(0, n.div(x, n.add(n.number(1, x), n.unary(UnaryKind::abs, x))));
}

void importGelu(Node &n) {
  n.expectInputs(1, 1);
  std::string approximate = n.string("approximate", "none");
  if (n.expectChoice("approximate", approximate, {"none", "tanh"}))
    n.output(
        0, n.unary(approximate == "tanh" ? UnaryKind::gelu_tanh : UnaryKind::gelu_erf, n.input(0)));
}

/// `x sigmoid(alpha x)`.
Value swish(Node &n, Value x, double alpha) {
  if (alpha == 1)
    return n.unary(UnaryKind::silu, x);
  return n.mul(x, n.unary(UnaryKind::sigmoid, n.mul(n.number(alpha, x), x)));
}

void importSwish(Node &n) {
  n.expectInputs(1, 1);
  n.output(0, swish(n, n.input(0), n.real("alpha", 1)));
}

void importQuickGelu(Node &n) {
  n.expectInputs(1, 1);
  n.output(0, swish(n, n.input(0), n.real("alpha", 1.702f)));
}

/// com.microsoft BiasGelu and FastGelu: an optional bias, then Gelu.
template <UnaryKind kind> void importBiasedGelu(Node &n) {
  n.expectInputs(1, 2);
  Value x = n.input(0);
  n.output(0, n.unary(kind, n.has(1) ? n.add(x, n.input(1)) : x));
}

/// Bounds are optional: attributes up to opset 10, then inputs. When they cross, the upper one wins.
void importClip(Node &n) {
  n.expectInputs(1, n.opset() < 11 ? 1 : 3);
  Value x = n.input(0), low = n.optional(1), high = n.optional(2);
  if (n.opset() < 11) {
    double least = n.real("min", -std::numeric_limits<float>::max());
    double most = n.real("max", std::numeric_limits<float>::max());
    low = n.number(least, x);
    high = n.number(most, x);
  }
  for (Value bound : {low, high})
    if (bound && n.type(bound).getNumElements() != 1)
      return n.fail("a bound has " + Twine(n.type(bound).getNumElements()) + " elements, not one");
  if (low)
    x = n.max(x, n.reshape(low, {}));
  if (high)
    x = n.min(x, n.reshape(high, {}));
  n.output(0, x);
}

void importSwiGLU(Node &n) {
  n.expectInputs(2, 2);
  n.output(0, n.mul(swish(n, n.input(0), n.real("alpha", 1)), n.input(1)));
}

} // namespace

void registerActivation(OpTable &table) {
  table.add("Mish", importUnary<UnaryKind::mish>, 18);
  table.add("Relu", importUnary<UnaryKind::relu>);
  table.add("Sigmoid", importUnary<UnaryKind::sigmoid>);
  table.add("Softplus", importUnary<UnaryKind::softplus>);
  table.add("Celu", importCelu, 12);
  table.add("Clip", importClip);
  table.add("Elu", importElu);
  table.add("Gelu", importGelu, 20);
  table.add("HardSigmoid", importHardSigmoid);
  table.add("HardSwish", importHardSwish, 14);
  table.add("LeakyRelu", importLeakyRelu);
  table.add("PRelu", importPRelu);
  table.add("Selu", importSelu);
  table.add("Shrink", importShrink, 9);
  table.add("Softsign", importSoftsign);
  table.add("SwiGLU", importSwiGLU, 28);
  table.add("Swish", importSwish, 24);
  table.add("ThresholdedRelu", importThresholdedRelu, 10);
  table.addTo(kMicrosoft, "BiasGelu", importBiasedGelu<UnaryKind::gelu_erf>);
  table.addTo(kMicrosoft, "FastGelu", importBiasedGelu<UnaryKind::gelu_tanh>);
  table.addTo(kMicrosoft, "Gelu", importBiasedGelu<UnaryKind::gelu_erf>);
  table.addTo(kMicrosoft, "QuickGelu", importQuickGelu);
}

} // namespace sheaf::onnx
