// Gradients of the normalizations.
//
// Only the operand is kept: mean and deviation of its rows are computed again, which costs one reading
// of what the gradient reads anyway. All is computed in f32 for narrower floats. With `v` the
// normalized rows, `i` their inverse deviation and `h` the gradient of `v`, the operand's gradient is
//
//   i (h - mean(h) - v mean(h v))        without mean(h) where no mean is subtracted.
#include "dialects/graph/primitive_builder.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

/// Rows over `dims` of a tensor, normalized.
class Rows {
public:
  Rows(PrimitiveBuilder &b, Value x, ArrayRef<int64_t> dims, double epsilon, bool hasMean)
      : b(b), dims(dims), hasMean(hasMean) {
    if (hasMean)
      x = sub(x, meanOf(x));
    Value square = b.mean(mul(x, x), dims);
    Value root = b.unary(UnaryKind::rsqrt, b.binary(BinaryKind::add, square, epsilon));
    inverse = b.spread(root, typeOf(x).getShape(), dims);
    normalized = mul(x, inverse);
  }

  Value values() { return normalized; }

  /// The gradient of the operand from that of the normalized values.
  Value gradient(Value h) {
    Value centered = hasMean ? sub(h, meanOf(h)) : h;
    Value along = mul(normalized, meanOf(mul(h, normalized)));
    return mul(inverse, sub(centered, along));
  }

private:
  Value mul(Value x, Value y) { return b.binary(BinaryKind::mul, x, y); }
  Value sub(Value x, Value y) { return b.binary(BinaryKind::sub, x, y); }
  Value meanOf(Value x) { return b.spread(b.mean(x, dims), typeOf(x).getShape(), dims); }

  PrimitiveBuilder &b;
  SmallVector<int64_t> dims;
  bool hasMean;
  Value inverse, normalized;
};

} // namespace

/// `g * scale`, the scale's dims being `dims` of `g`; `g` without one.
static Value scaled(PrimitiveBuilder &b, Value g, Value scale, ArrayRef<int64_t> dims) {
  if (!scale)
    return g;
  Value wide = b.cast(scale, typeOf(g).getElementType());
  return b.binary(BinaryKind::mul, g, b.broadcast(wide, typeOf(g).getShape(), dims));
}

/// The gradient of a parameter whose dims are `dims` of what meets its elements.
static Value parameterGradient(PrimitiveBuilder &b, Value perElement, Value parameter,
                               ArrayRef<int64_t> dims) {
  RankedTensorType type = typeOf(parameter);
  return b.cast(b.sumTo(perElement, type.getShape(), dims), type.getElementType());
}

/// Of layer_norm and rms_norm, in the order of the operands that there are.
static SmallVector<Value> rowNormGradients(PrimitiveBuilder &b, Value operand, Value scale,
                                           Value bias, int64_t axis, double epsilon, bool hasMean,
                                           Value gradient) {
  RankedTensorType type = typeOf(operand);
  Type compute = computeTypeOf(type.getElementType());
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq(axis, type.getRank()));
  Value g = b.cast(gradient, compute);
  Rows rows(b, b.cast(operand, compute), dims, epsilon, hasMean);
  SmallVector<Value> gradients{
      b.cast(rows.gradient(scaled(b, g, scale, dims)), type.getElementType())};
  if (scale)
    gradients.push_back(
        parameterGradient(b, b.binary(BinaryKind::mul, g, rows.values()), scale, dims));
  if (bias)
    gradients.push_back(parameterGradient(b, g, bias, dims));
  return gradients;
}

SmallVector<Value> LayerNormOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  return rowNormGradients(b, getOperand(), getScale(), getBias(), getAxis(),
                          getEpsilon().convertToDouble(), /*hasMean=*/true,
                          resultGradients.front());
}

SmallVector<Value> RmsNormOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  return rowNormGradients(b, getOperand(), getScale(), Value(), getAxis(),
                          getEpsilon().convertToDouble(), /*hasMean=*/false,
                          resultGradients.front());
}

/// With `i = 1 / sqrt(variance + epsilon)` per channel and sums over all but the channels:
/// `dx = g i s`, `ds = i sum(g (x - m))`, `db = sum(g)`, `dm = -i s sum(g)`,
/// `dv = -1/2 i^3 s sum(g (x - m))`.
SmallVector<Value> BatchNormOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  RankedTensorType type = getOperand().getType();
  Type compute = computeTypeOf(type.getElementType());
  auto mul = [&](Value x, Value y) { return b.binary(BinaryKind::mul, x, y); };
  auto perElement = [&](Value channels) { return b.broadcast(channels, type.getShape(), {1}); };
  Value g = b.cast(resultGradients.front(), compute), scale = b.cast(getScale(), compute);
  Value variance = b.cast(getVariance(), compute);
  Value inverse = b.unary(UnaryKind::rsqrt,
                          b.binary(BinaryKind::add, variance, getEpsilon().convertToDouble()));
  Value factor = mul(inverse, scale);
  Value centered = b.binary(BinaryKind::sub, b.cast(getOperand(), compute),
                            perElement(b.cast(getMean(), compute)));
  ArrayRef<int64_t> channels = getScale().getType().getShape();
  Value sum = b.sumTo(g, channels, {1}), moment = b.sumTo(mul(g, centered), channels, {1});
  Value toVariance = mul(mul(mul(inverse, inverse), factor), moment);
  auto finish = [&](Value x, Value like) { return b.cast(x, typeOf(like).getElementType()); };
  return {finish(mul(g, perElement(factor)), getOperand()),
          finish(mul(inverse, moment), getScale()), finish(sum, getBias()),
          finish(mul(b.unary(UnaryKind::neg, factor), sum), getMean()),
          finish(b.binary(BinaryKind::mul, toVariance, -0.5), getVariance())};
}

SmallVector<Value> GroupNormOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  RankedTensorType type = getOperand().getType();
  Type compute = computeTypeOf(type.getElementType());
  // [b, c, space..] as [b, groups, c / groups, space..].
  SmallVector<int64_t> grouped(type.getShape());
  grouped[1] = getGroups();
  grouped.insert(grouped.begin() + 2, type.getDimSize(1) / int64_t(getGroups()));
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(2, grouped.size()));
  Value g = b.cast(resultGradients.front(), compute);
  Rows rows(b, b.reshape(b.cast(getOperand(), compute), grouped), dims,
            getEpsilon().convertToDouble(), /*hasMean=*/true);
  Value h = b.reshape(scaled(b, g, getScale(), {1}), grouped);
  Value toOperand = b.reshape(rows.gradient(h), type.getShape());
  Value values = b.reshape(rows.values(), type.getShape());
  return {b.cast(toOperand, type.getElementType()),
          parameterGradient(b, b.binary(BinaryKind::mul, g, values), getScale(), {1}),
          parameterGradient(b, g, getBias(), {1})};
}
