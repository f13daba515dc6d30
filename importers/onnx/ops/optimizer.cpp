// Optimizer steps of ai.onnx.preview.training.
#include "importers/onnx/node.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

constexpr llvm::StringLiteral kTraining("ai.onnx.preview.training");

/// Inputs are R, T, then all parameters, all gradients, and `numStates` groups of states; `step` gives
/// the new parameter and states of one. Outputs are grouped the same way.
void perParameter(
    Node &n, size_t numStates,
    llvm::function_ref<SmallVector<Value>(Value x, Value gradient, ArrayRef<Value> states)> step) {
  size_t numGroups = 2 + numStates;
  if (n.numInputs() < 2 + numGroups || (n.numInputs() - 2) % numGroups != 0)
    return n.fail("has " + Twine(n.numInputs()) + " inputs, which do not group");
  size_t count = (n.numInputs() - 2) / numGroups;
  for (size_t index = 0; index < count && !n.failed(); ++index) {
    SmallVector<Value> states;
    for (size_t state = 0; state < numStates; ++state)
      states.push_back(n.input(2 + (2 + state) * count + index));
    auto results = step(n.input(2 + index), n.input(2 + count + index), states);
    for (auto [group, value] : llvm::enumerate(results))
      n.output(group * count + index, value);
  }
}

/// The gradient with that of `norm_coefficient / 2 |x|^2`.
Value regularized(Node &n, Value x, Value gradient, double coefficient) {
  return n.add(n.mul(n.number(coefficient, x), x), gradient);
}

void importAdagrad(Node &n) {
  double decay = n.real("decay_factor", 0), epsilon = n.real("epsilon", 0);
  double norm = n.real("norm_coefficient", 0);
  Value rate = n.input(0);
  Value time = n.cast(n.input(1), n.element(rate));
  rate = n.div(rate, n.add(n.number(1, rate), n.mul(time, n.number(decay, rate))));
  perParameter(n, 1, [&](Value x, Value gradient, ArrayRef<Value> states) -> SmallVector<Value> {
    Value g = regularized(n, x, gradient, norm), h = n.add(states[0], n.mul(g, g));
    Value size = n.add(n.unary(UnaryKind::sqrt, h), n.number(epsilon, h));
    return {n.sub(x, n.div(n.mul(n.reshape(rate, {}), g), size)), h};
  });
}

void importAdam(Node &n) {
  double alpha = n.real("alpha", 0.9f), beta = n.real("beta", 0.999f);
  double epsilon = n.real("epsilon", 0), norm = n.real("norm_coefficient", 0);
  double normPost = n.real("norm_coefficient_post", 0);
  Value rate = n.reshape(n.input(0), {});
  Value time = n.reshape(n.cast(n.input(1), n.element(rate)), {});
  // From the first step on, the moments' bias towards zero is divided out.
  Value one = n.number(1, rate);
  Value corrected =
      n.div(n.mul(rate, n.unary(UnaryKind::sqrt, n.sub(one, n.pow(n.number(beta, rate), time)))),
            n.sub(one, n.pow(n.number(alpha, rate), time)));
  Value isStarted = n.compare(CompareKind::gt, time, n.number(0, time));
  rate = n.select(isStarted, corrected, rate);
  perParameter(n, 2, [&](Value x, Value gradient, ArrayRef<Value> states) -> SmallVector<Value> {
    Value g = regularized(n, x, gradient, norm);
    Value v = n.add(n.mul(n.number(alpha, x), states[0]), n.mul(n.number(1 - alpha, x), g));
    Value h = n.add(n.mul(n.number(beta, x), states[1]), n.mul(n.number(1 - beta, x), n.mul(g, g)));
    Value size = n.add(n.unary(UnaryKind::sqrt, h), n.number(epsilon, h));
    Value next = n.sub(x, n.div(n.mul(rate, v), size));
    return {n.mul(n.number(1 - normPost, x), next), v, h};
  });
}

void importMomentum(Node &n) {
  double alpha = n.real("alpha", 0), beta = n.real("beta", 0);
  double norm = n.real("norm_coefficient", 0);
  std::string mode = n.string("mode", "standard");
  n.expectChoice("mode", mode, {"standard", "nesterov"});
  Value rate = n.reshape(n.input(0), {});
  Value time = n.reshape(n.cast(n.input(1), n.element(rate)), {});
  // The first step takes the whole gradient.
  Value isStarted = n.compare(CompareKind::gt, time, n.number(0, time));
  Value weight = n.select(isStarted, n.number(beta, rate), n.number(1, rate));
  perParameter(n, 1, [&](Value x, Value gradient, ArrayRef<Value> states) -> SmallVector<Value> {
    Value g = regularized(n, x, gradient, norm);
    Value v = n.add(n.mul(n.number(alpha, x), states[0]), n.mul(weight, g));
    Value direction = mode == "nesterov" ? n.add(g, n.mul(n.number(alpha, x), v)) : v;
    return {n.sub(x, n.mul(rate, direction)), v};
  });
}

} // namespace

void registerOptimizer(OpTable &table) {
  table.addTo(kTraining, "Adagrad", importAdagrad);
  table.addTo(kTraining, "Adam", importAdam);
  table.addTo(kTraining, "Momentum", importMomentum);
}

} // namespace sheaf::onnx
