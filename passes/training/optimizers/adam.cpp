// Adam (Kingma and Ba 2015): m' = b1 m + (1 - b1) g, v' = b2 v + (1 - b2) g^2,
// p' = p - lr / (1 - b1^t) m' / (sqrt(v') / sqrt(1 - b2^t) + eps).
//
// "adam" adds the weight decay to the gradient; "adamw" (Loshchilov and Hutter 2019) takes it off the parameter, times
// the learning rate.
#include "passes/training/optimizer.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;
using namespace sheaf::training;

namespace {

class Adam : public Optimizer {
public:
  Adam(double beta1, double beta2, double epsilon, bool isDecoupled)
      : beta1(beta1), beta2(beta2), epsilon(epsilon), isDecoupled(isDecoupled) {}

  SmallVector<Slot> slotsOf(RankedTensorType parameter) const override {
    return {{"adam_m", parameter}, {"adam_v", parameter}};
  }

  NewParameter update(PrimitiveBuilder &b, const ParameterStep &step) const override {
    Value gradient = step.gradient, parameter = step.parameter;
    if (step.weightDecay != 0.0 && !isDecoupled)
      gradient = b.binary(BinaryKind::add, gradient,
                          b.binary(BinaryKind::mul, parameter, step.weightDecay));
    if (isDecoupled)
      parameter = decayed(b, step);
    Value mean = mix(b, step.slots[0], beta1, gradient);
    Value square = mix(b, step.slots[1], beta2, b.binary(BinaryKind::mul, gradient, gradient));
    Value size = b.binary(BinaryKind::div, step.learningRate, correction(b, step.step, beta1));
    Value root = b.unary(UnaryKind::sqrt, correction(b, step.step, beta2));
    Value deviation =
        b.binary(BinaryKind::div, b.unary(UnaryKind::sqrt, square), spreadLike(b, root, square));
    Value direction =
        b.binary(BinaryKind::div, mean, b.binary(BinaryKind::add, deviation, epsilon));
    Value change = b.binary(BinaryKind::mul, spreadLike(b, size, direction), direction);
    return {b.binary(BinaryKind::sub, parameter, change), {mean, square}};
  }

private:
  /// `1 - beta^t`; in f64, since the two are close in the first steps.
  static Value correction(PrimitiveBuilder &b, Value step, double beta) {
    Value power = b.binary(BinaryKind::pow, b.splatLike(step, beta), step);
    return b.binary(BinaryKind::sub, b.splatLike(step, 1.0), power);
  }

  double beta1, beta2, epsilon;
  bool isDecoupled;
};

} // namespace

std::unique_ptr<Optimizer> sheaf::training::createAdam(const OptimizerOptions &options) {
  return std::make_unique<Adam>(options.beta1.value_or(0.9), options.beta2.value_or(0.999),
                                options.epsilon.value_or(1e-8), options.kind != "adam");
}
