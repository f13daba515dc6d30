// Lion (Chen et al. 2023): c = b1 m + (1 - b1) g, p' = (1 - lr decay) p - lr sign(c), m' = b2 m + (1 - b2) g.
#include "passes/training/optimizer.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;
using namespace sheaf::training;

namespace {

class Lion : public Optimizer {
public:
  Lion(double beta1, double beta2) : beta1(beta1), beta2(beta2) {}

  SmallVector<Slot> slotsOf(RankedTensorType parameter) const override {
    return {{"lion_m", parameter}};
  }

  NewParameter update(PrimitiveBuilder &b, const ParameterStep &step) const override {
    Value direction = b.unary(UnaryKind::sign, mix(b, step.slots[0], beta1, step.gradient));
    Value change =
        b.binary(BinaryKind::mul, spreadLike(b, step.learningRate, direction), direction);
    return {b.binary(BinaryKind::sub, decayed(b, step), change),
            {mix(b, step.slots[0], beta2, step.gradient)}};
  }

private:
  double beta1, beta2;
};

} // namespace

std::unique_ptr<Optimizer> sheaf::training::createLion(const OptimizerOptions &options) {
  return std::make_unique<Lion>(options.beta1.value_or(0.9), options.beta2.value_or(0.99));
}
