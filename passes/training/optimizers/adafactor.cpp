// Adafactor (Shazeer and Stern 2018), algorithms 4 and 5 without momentum: second moments of matrices are kept as means
// of rows and of columns, R and C, and are R C^T / mean(R). Of tensors of more dims the last two are a matrix.
//
// beta2 = 1 - t^-0.8 from step to step; u = g / sqrt(V), divided by max(1, RMS(u)); p' = (1 - lr decay) p - lr u.
// Relative steps are lr max(1e-3, RMS(p)) u.
#include "passes/training/optimizer.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;
using namespace sheaf::training;

namespace {

constexpr double kDecayExponent = -0.8, kLargestUpdate = 1.0, kSmallestParameter = 1e-3;

/// `part` in 0 .. 1 of the way from `old` to `value`.
Value move(PrimitiveBuilder &b, Value old, Value part, Value value) {
  Value kept = b.binary(BinaryKind::sub, b.splatLike(part, 1.0), part);
  return b.binary(BinaryKind::add, b.binary(BinaryKind::mul, old, spreadLike(b, kept, old)),
                  b.binary(BinaryKind::mul, value, spreadLike(b, part, value)));
}

/// The root of the mean of the squares of all elements.
Value sizeOf(PrimitiveBuilder &b, Value x) {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(typeOf(x).getRank()));
  return b.unary(UnaryKind::sqrt, b.mean(b.binary(BinaryKind::mul, x, x), dims));
}

RankedTensorType without(RankedTensorType type, int64_t dim) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  return type.clone(shape);
}

class Adafactor : public Optimizer {
public:
  Adafactor(double epsilon, bool isRelative) : epsilon(epsilon), isRelative(isRelative) {}

  SmallVector<Slot> slotsOf(RankedTensorType parameter) const override {
    int64_t rank = parameter.getRank();
    if (rank < 2)
      return {{"adafactor_v", parameter}};
    return {{"adafactor_rows", without(parameter, rank - 1)},
            {"adafactor_columns", without(parameter, rank - 2)}};
  }

  NewParameter update(PrimitiveBuilder &b, const ParameterStep &step) const override {
    Value gradient = step.gradient;
    Value square =
        b.binary(BinaryKind::add, b.binary(BinaryKind::mul, gradient, gradient), epsilon);
    Value part = b.binary(BinaryKind::pow, step.step, kDecayExponent);
    NewParameter result;
    Value change = typeOf(gradient).getRank() < 2
                       ? scaled(b, step, square, part, result.slots)
                       : scaledByFactors(b, step, square, part, result.slots);
    Value excess = b.binary(BinaryKind::mul, sizeOf(b, change), 1.0 / kLargestUpdate);
    change = b.binary(BinaryKind::div, change,
                      spreadLike(b, b.binary(BinaryKind::max, excess, 1.0), change));
    Value rate = step.learningRate;
    if (isRelative) {
      Value size = b.binary(BinaryKind::max, sizeOf(b, step.parameter), kSmallestParameter);
      rate = b.binary(BinaryKind::mul, rate, b.cast(size, typeOf(rate).getElementType()));
    }
    change = b.binary(BinaryKind::mul, spreadLike(b, rate, change), change);
    result.parameter = b.binary(BinaryKind::sub, decayed(b, step), change);
    return result;
  }

private:
  /// The gradient over the root of its second moment.
  static Value scaled(PrimitiveBuilder &b, const ParameterStep &step, Value square, Value part,
                      SmallVector<Value> &slots) {
    slots = {move(b, step.slots[0], part, square)};
    return b.binary(BinaryKind::mul, step.gradient, b.unary(UnaryKind::rsqrt, slots[0]));
  }

  static Value scaledByFactors(PrimitiveBuilder &b, const ParameterStep &step, Value square,
                               Value part, SmallVector<Value> &slots) {
    ArrayRef<int64_t> shape = shapeOf(step.gradient);
    int64_t column = shape.size() - 1, row = shape.size() - 2;
    Value rows = move(b, step.slots[0], part, b.mean(square, column));
    Value columns = move(b, step.slots[1], part, b.mean(square, row));
    slots = {rows, columns};
    // The product of roots: that of moments would leave f32's range.
    Value mean = b.spread(b.mean(rows, row), shapeOf(rows), row);
    Value byRow = b.unary(UnaryKind::rsqrt, b.binary(BinaryKind::div, rows, mean));
    Value byColumn = b.unary(UnaryKind::rsqrt, columns);
    Value scaled = b.binary(BinaryKind::mul, step.gradient, b.spread(byRow, shape, column));
    return b.binary(BinaryKind::mul, scaled, b.spread(byColumn, shape, row));
  }

  double epsilon;
  bool isRelative;
};

} // namespace

std::unique_ptr<Optimizer> sheaf::training::createAdafactor(const OptimizerOptions &options) {
  return std::make_unique<Adafactor>(options.epsilon.value_or(1e-30), options.isRelative);
}
