// Gradients of softmax and log_softmax, of the results alone: the operands need not be kept. In f32 for
// narrower floats.
#include "dialects/graph/primitive_builder.h"

using namespace mlir;
using namespace sheaf::graph;

/// The sum of each row along `dim`, at each of its places.
static Value sumOfRows(PrimitiveBuilder &b, Value x, int64_t dim) {
  return b.spread(b.reduce(ReduceKind::sum, x, dim), cast<RankedTensorType>(x.getType()).getShape(),
                  dim);
}

/// `y (g - sum(g y))`.
SmallVector<Value> SoftmaxOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  Type element = getType().getElementType(), compute = computeTypeOf(element);
  Value y = b.cast(getResult(), compute), g = b.cast(resultGradients.front(), compute);
  Value sum = sumOfRows(b, b.binary(BinaryKind::mul, g, y), getDim());
  return {b.cast(b.binary(BinaryKind::mul, y, b.binary(BinaryKind::sub, g, sum)), element)};
}

/// `g - exp(y) sum(g)`.
SmallVector<Value> LogSoftmaxOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  Type element = getType().getElementType(), compute = computeTypeOf(element);
  Value y = b.cast(getResult(), compute), g = b.cast(resultGradients.front(), compute);
  Value spread = b.binary(BinaryKind::mul, b.unary(UnaryKind::exp, y), sumOfRows(b, g, getDim()));
  return {b.cast(b.binary(BinaryKind::sub, g, spread), element)};
}
