// Gradients of the movement ops: elements go back where they came from.
#include "dialects/graph/primitive_builder.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace sheaf::graph;

SmallVector<Value> ReshapeOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  return {b.reshape(resultGradients.front(), getOperand().getType().getShape())};
}

SmallVector<Value> TransposeOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  return {
      TransposeOp::create(b, resultGradients.front(), invertPermutationVector(getPermutation()))};
}

SmallVector<Value> BroadcastOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  return {b.sumTo(resultGradients.front(), getOperand().getType().getShape(), getDims())};
}

/// `x` with `stride - 1` zeros behind each element along `dim`. They become elements of a dim of their
/// own: `a b` is padded to `[a 0 0] [b 0 0]`.
static Value spreadApart(PrimitiveBuilder &b, Value x, Value zero, int64_t dim, int64_t stride) {
  SmallVector<int64_t> shape(shapeOf(x)), low(shape.size() + 1, 0), high(low);
  int64_t length = shape[dim] * stride;
  SmallVector<int64_t> apart(shape);
  apart.insert(apart.begin() + dim + 1, 1);
  high[dim + 1] = stride - 1;
  x = PadOp::create(b, b.reshape(x, apart), zero, low, high);
  shape[dim] = length;
  return b.reshape(x, shape);
}

SmallVector<Value> SliceOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  Value x = resultGradients.front();
  RankedTensorType operand = getOperand().getType();
  Value zero = b.splat(RankedTensorType::get({}, operand.getElementType()), 0.0);
  SmallVector<int64_t> low(getStarts()), high;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    int64_t room = operand.getDimSize(dim) - low[dim];
    // The stride counts between elements only, and fits into the operand then.
    if (getStrides()[dim] > 1 && shapeOf(x)[dim] > 1) {
      x = spreadApart(b, x, zero, dim, getStrides()[dim]);
      if (shapeOf(x)[dim] > room)
        x = b.slice(x, dim, 0, room);
    }
    high.push_back(room - shapeOf(x)[dim]);
  }
  return {PadOp::create(b, x, zero, low, high)};
}

SmallVector<Value> PadOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  Value gradient = resultGradients.front();
  RankedTensorType operand = getOperand().getType();
  SmallVector<int64_t> limits, strides(operand.getRank(), 1);
  for (auto [low, extent] : llvm::zip_equal(getLow(), operand.getShape()))
    limits.push_back(low + extent);
  Value inside = SliceOp::create(b, gradient, getLow(), limits, strides);
  Type boolean = b.getI1Type();
  Value isPadding =
      PadOp::create(b, b.splat(operand.clone(boolean), 0.0),
                    b.splat(RankedTensorType::get({}, boolean), 1.0), getLow(), getHigh());
  Value padding = b.select(isPadding, gradient, b.splatLike(gradient, 0.0));
  return {inside, b.sumTo(padding, {}, {})};
}

SmallVector<Value> ConcatOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  SmallVector<Value> gradients;
  int64_t start = 0;
  for (Value operand : getOperands()) {
    int64_t limit = start + shapeOf(operand)[getDim()];
    gradients.push_back(b.slice(resultGradients.front(), getDim(), start, limit));
    start = limit;
  }
  return gradients;
}

SmallVector<Value> ReverseOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  return {ReverseOp::create(b, resultGradients.front(), getDims())};
}
