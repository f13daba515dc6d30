// The normalizations in primitive ops. Everything is computed in f32 for narrower floats and rounded
// once at the end; variances are means of squared differences, which do not cancel.
#include "dialects/graph/primitive_builder.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace sheaf::graph;

/// `1 / sqrt(x + epsilon)`.
static Value inverseRoot(PrimitiveBuilder &b, Value x, double epsilon) {
  return b.unary(UnaryKind::rsqrt, b.binary(BinaryKind::add, x, epsilon));
}

/// `x / sqrt(mean(x^2) + epsilon)` over `dims`.
static Value divideByRms(PrimitiveBuilder &b, Value x, ArrayRef<int64_t> dims, double epsilon) {
  Value square = b.mean(b.binary(BinaryKind::mul, x, x), dims);
  Value inverse = b.spread(inverseRoot(b, square, epsilon), typeOf(x).getShape(), dims);
  return b.binary(BinaryKind::mul, x, inverse);
}

/// `(x - mean) / sqrt(variance + epsilon)` over `dims`.
static Value standardize(PrimitiveBuilder &b, Value x, ArrayRef<int64_t> dims, double epsilon) {
  Value mean = b.spread(b.mean(x, dims), typeOf(x).getShape(), dims);
  return divideByRms(b, b.binary(BinaryKind::sub, x, mean), dims, epsilon);
}

/// `x * parameter` or `x + parameter`, the parameter's dims being `dims` of `x`; `x` without one.
static Value apply(PrimitiveBuilder &b, BinaryKind kind, Value x, Value parameter,
                   ArrayRef<int64_t> dims) {
  if (!parameter)
    return x;
  Value wide = b.cast(parameter, typeOf(x).getElementType());
  return b.binary(kind, x, b.broadcast(wide, typeOf(x).getShape(), dims));
}

static SmallVector<int64_t> dimsFrom(int64_t axis, RankedTensorType type) {
  return llvm::to_vector(llvm::seq(axis, type.getRank()));
}

SmallVector<Value> LayerNormOp::decompose(OpBuilder &builder) {
  PrimitiveBuilder b(getLoc(), builder);
  RankedTensorType type = getOperand().getType();
  SmallVector<int64_t> dims = dimsFrom(getAxis(), type);
  Value x = b.cast(getOperand(), computeTypeOf(type.getElementType()));
  x = standardize(b, x, dims, getEpsilon().convertToDouble());
  x = apply(b, BinaryKind::mul, x, getScale(), dims);
  x = apply(b, BinaryKind::add, x, getBias(), dims);
  return {b.cast(x, type.getElementType())};
}

SmallVector<Value> RmsNormOp::decompose(OpBuilder &builder) {
  PrimitiveBuilder b(getLoc(), builder);
  RankedTensorType type = getOperand().getType();
  SmallVector<int64_t> dims = dimsFrom(getAxis(), type);
  Value x = b.cast(getOperand(), computeTypeOf(type.getElementType()));
  x = divideByRms(b, x, dims, getEpsilon().convertToDouble());
  x = apply(b, BinaryKind::mul, x, getScale(), dims);
  return {b.cast(x, type.getElementType())};
}

SmallVector<Value> BatchNormOp::decompose(OpBuilder &builder) {
  PrimitiveBuilder b(getLoc(), builder);
  RankedTensorType type = getOperand().getType();
  Type compute = computeTypeOf(type.getElementType());
  Value x = b.cast(getOperand(), compute);
  Value mean = b.broadcast(b.cast(getMean(), compute), type.getShape(), {1});
  Value inverse = inverseRoot(b, b.cast(getVariance(), compute), getEpsilon().convertToDouble());
  Value factor = b.binary(BinaryKind::mul, inverse, b.cast(getScale(), compute));
  x = b.binary(BinaryKind::sub, x, mean);
  x = apply(b, BinaryKind::mul, x, factor, {1});
  x = apply(b, BinaryKind::add, x, getBias(), {1});
  return {b.cast(x, type.getElementType())};
}

SmallVector<Value> GroupNormOp::decompose(OpBuilder &builder) {
  PrimitiveBuilder b(getLoc(), builder);
  RankedTensorType type = getOperand().getType();
  // [b, c, space..] as [b, groups, c / groups, space..].
  SmallVector<int64_t> grouped(type.getShape());
  grouped[1] = getGroups();
  grouped.insert(grouped.begin() + 2, type.getDimSize(1) / int64_t(getGroups()));
  Value x = b.reshape(b.cast(getOperand(), computeTypeOf(type.getElementType())), grouped);
  x = standardize(b, x, dimsFrom(2, typeOf(x)), getEpsilon().convertToDouble());
  x = b.reshape(x, type.getShape());
  x = apply(b, BinaryKind::mul, x, getScale(), {1});
  x = apply(b, BinaryKind::add, x, getBias(), {1});
  return {b.cast(x, type.getElementType())};
}
