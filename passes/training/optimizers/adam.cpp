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
    if (step.weightDecay != 0.0 && isDecoupled) {
      Value decay = b.binary(BinaryKind::mul, step.learningRate, -step.weightDecay);
      Value kept = b.binary(BinaryKind::add, decay, 1.0);
      parameter = b.binary(BinaryKind::mul, parameter, spreadLike(b, kept, parameter));
    }
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
  /// `beta old + (1 - beta) value`.
  static Value mix(PrimitiveBuilder &b, Value old, double beta, Value value) {
    return b.binary(BinaryKind::add, b.binary(BinaryKind::mul, old, beta),
                    b.binary(BinaryKind::mul, value, 1.0 - beta));
  }

  /// `1 - beta^t`; in f64, since the two are close in the first steps.
  static Value correction(PrimitiveBuilder &b, Value step, double beta) {
    Value power = b.binary(BinaryKind::pow, b.splatLike(step, beta), step);
    return b.binary(BinaryKind::sub, b.splatLike(step, 1.0), power);
  }

  double beta1, beta2, epsilon;
  bool isDecoupled;
};

} // namespace

std::unique_ptr<Optimizer>
sheaf::training::createAdam(const OptimizerOptions &options,
                            function_ref<InFlightDiagnostic()> emitError) {
  if (options.momentum || options.isNesterov) {
    emitError() << "optimizer " << options.kind << " has no momentum but betas";
    return nullptr;
  }
  double beta1 = options.beta1.value_or(0.9), beta2 = options.beta2.value_or(0.999);
  double epsilon = options.epsilon.value_or(1e-8);
  auto isShare = [](double beta) { return beta >= 0.0 && beta < 1.0; }; // No NaN is.
  if (!isShare(beta1) || !isShare(beta2) || !(epsilon >= 0.0)) {
    emitError() << "betas must be in [0, 1) and epsilon not negative, found betas " << beta1 << ", "
                << beta2 << " and epsilon " << epsilon;
    return nullptr;
  }
  return std::make_unique<Adam>(beta1, beta2, epsilon, options.kind == "adamw");
}
