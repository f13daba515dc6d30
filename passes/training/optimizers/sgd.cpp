// Stochastic gradient descent with momentum (Sutskever et al. 2013), weight decay added to the gradient:
// u' = m u + g, p' = p - lr u', with Nesterov's p' = p - lr (g + m u').
#include "passes/training/optimizer.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;
using namespace sheaf::training;

namespace {

class Sgd : public Optimizer {
public:
  Sgd(double momentum, bool isNesterov) : momentum(momentum), isNesterov(isNesterov) {}

  SmallVector<Slot> slotsOf(RankedTensorType parameter) const override {
    if (momentum == 0.0)
      return {};
    return {{"momentum", parameter}};
  }

  NewParameter update(PrimitiveBuilder &b, const ParameterStep &step) const override {
    Value gradient = step.gradient;
    if (step.weightDecay != 0.0)
      gradient = b.binary(BinaryKind::add, gradient,
                          b.binary(BinaryKind::mul, step.parameter, step.weightDecay));
    NewParameter result;
    Value direction = gradient;
    if (momentum != 0.0) {
      Value velocity =
          b.binary(BinaryKind::add, b.binary(BinaryKind::mul, step.slots[0], momentum), gradient);
      result.slots = {velocity};
      direction = isNesterov ? b.binary(BinaryKind::add, gradient,
                                        b.binary(BinaryKind::mul, velocity, momentum))
                             : velocity;
    }
    Value rate = spreadLike(b, step.learningRate, direction);
    result.parameter =
        b.binary(BinaryKind::sub, step.parameter, b.binary(BinaryKind::mul, rate, direction));
    return result;
  }

private:
  double momentum;
  bool isNesterov;
};

} // namespace

std::unique_ptr<Optimizer> sheaf::training::createSgd(const OptimizerOptions &options) {
  return std::make_unique<Sgd>(options.momentum.value_or(0.0), options.isNesterov);
}
