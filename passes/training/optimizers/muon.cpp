// Muon (Jordan 2024): matrices move along their momentum, orthogonalized by five steps of a Newton-Schulz iteration.
// AdamW updates everything else, which has to be told by name where it is a matrix (embeddings, the head).
//
// u' = m u + g; X = g + m u' over its norm, p' = (1 - lr decay) p - lr 0.2 sqrt(max(rows, columns)) X. That factor is
// of Liu et al. 2025: it does not depend on which of both dims is the input's, and one learning rate serves both rules.
#include "passes/training/optimizer.h"

#include <cmath>
using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;
using namespace sheaf::training;

namespace {

/// Of the quintic polynomial that takes singular values to about 1.
constexpr double kLinear = 3.4445, kCubic = -4.7750, kQuintic = 2.0315;
constexpr int kIterations = 5;
constexpr double kSmallestNorm = 1e-7;

/// `lhs rhs`, or `lhs rhs^T`.
Value multiply(PrimitiveBuilder &b, Value lhs, Value rhs, bool isTransposed) {
  ArrayRef<int64_t> none;
  return ContractOp::create(b, lhs, rhs, none, none, ArrayRef<int64_t>{1},
                            ArrayRef<int64_t>{isTransposed ? 1 : 0});
}

/// Nearly the closest matrix whose rows, or columns where they are fewer, are orthonormal.
Value orthogonalize(PrimitiveBuilder &b, Value x) {
  Value square = b.reduce(ReduceKind::sum, b.binary(BinaryKind::mul, x, x), {0, 1});
  Value norm = b.binary(BinaryKind::add, b.unary(UnaryKind::sqrt, square), kSmallestNorm);
  x = b.binary(BinaryKind::div, x, spreadLike(b, norm, x));
  bool isTall = shapeOf(x)[0] > shapeOf(x)[1];
  if (isTall) // The product of the shorter side is the smaller one.
    x = TransposeOp::create(b, x, ArrayRef<int64_t>{1, 0});
  for (int i = 0; i < kIterations; ++i) {
    Value gram = multiply(b, x, x, /*isTransposed=*/true);
    Value quintic =
        b.binary(BinaryKind::mul, multiply(b, gram, gram, /*isTransposed=*/false), kQuintic);
    Value factor = b.binary(BinaryKind::add, b.binary(BinaryKind::mul, gram, kCubic), quintic);
    x = b.binary(BinaryKind::add, b.binary(BinaryKind::mul, x, kLinear),
                 multiply(b, factor, x, /*isTransposed=*/false));
  }
  return isTall ? Value(TransposeOp::create(b, x, ArrayRef<int64_t>{1, 0})) : x;
}

class Muon : public Optimizer {
public:
  Muon(double momentum, std::unique_ptr<Optimizer> others)
      : momentum(momentum), others(std::move(others)) {}

  const Optimizer *other() const override { return others.get(); }
  bool isFor(RankedTensorType type) const override { return type.getRank() == 2; }

  SmallVector<Slot> slotsOf(RankedTensorType parameter) const override {
    return {{"muon_momentum", parameter}};
  }

  NewParameter update(PrimitiveBuilder &b, const ParameterStep &step) const override {
    Value velocity = b.binary(BinaryKind::add, b.binary(BinaryKind::mul, step.slots[0], momentum),
                              step.gradient);
    Value ahead =
        b.binary(BinaryKind::add, b.binary(BinaryKind::mul, velocity, momentum), step.gradient);
    ArrayRef<int64_t> shape = shapeOf(step.parameter);
    Value rate = b.binary(BinaryKind::mul, step.learningRate,
                          0.2 * std::sqrt(double(std::max(shape[0], shape[1]))));
    Value direction = orthogonalize(b, ahead);
    Value change = b.binary(BinaryKind::mul, spreadLike(b, rate, direction), direction);
    return {b.binary(BinaryKind::sub, decayed(b, step), change), {velocity}};
  }

private:
  double momentum;
  std::unique_ptr<Optimizer> others;
};

} // namespace

std::unique_ptr<Optimizer> sheaf::training::createMuon(const OptimizerOptions &options) {
  OptimizerOptions others = options;
  others.kind = "adamw";
  return std::make_unique<Muon>(options.momentum.value_or(0.95), createAdam(others));
}
