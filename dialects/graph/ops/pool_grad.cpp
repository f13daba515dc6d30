// Gradients of pooling.
//
// The sum of a window is a convolution with ones, each channel by itself. A maximum's gradient goes to
// the first maximum of the window, as in PyTorch and JAX; where that is, is searched for again. Places
// count within one channel of one image, so that images and channels stay apart.
#include "dialects/graph/primitive_builder.h"

using namespace mlir;
using namespace sheaf::graph;

/// The gradient of sums of windows.
static Value spreadSums(PrimitiveBuilder &b, PoolOp op, Value g) {
  RankedTensorType operand = op.getOperand().getType();
  int64_t channels = operand.getDimSize(1);
  SmallVector<int64_t> shape{channels, 1};
  llvm::append_range(shape, op.getWindow());
  Value ones = b.splat(operand.clone(shape), 1.0);
  return ConvInputGradOp::create(b, operand, g, ones, op.getStrides(), op.getPaddingLow(),
                                 op.getPaddingHigh(), op.getDilations(), channels);
}

/// How many elements of the operand each window holds, at least 1, in the shape of the result.
static Value numPresent(PrimitiveBuilder &b, PoolOp op) {
  SmallVector<int64_t> shape(op.getOperand().getType().getShape());
  shape[0] = shape[1] = 1;
  Value ones = b.splat(op.getType().clone(shape), 1.0);
  Value count = PoolOp::create(b, PoolKind::sum, ones, op.getWindow(), op.getStrides(),
                               op.getPaddingLow(), op.getPaddingHigh(), op.getDilations());
  count = b.reshape(count, typeOf(count).getShape().drop_front(2));
  SmallVector<int64_t> space;
  for (int64_t dim = 2; dim < op.getType().getRank(); ++dim)
    space.push_back(dim);
  return b.broadcast(b.binary(BinaryKind::max, count, 1.0), op.getType().getShape(), space);
}

/// `indices` are flat places of the maxima in `operand`.
static Value putAtMaxima(PrimitiveBuilder &b, RankedTensorType operand, Value indices, Value g) {
  int64_t plane = 1, count = 1;
  for (int64_t extent : operand.getShape().drop_front(2))
    plane *= extent;
  for (int64_t extent : typeOf(indices).getShape().drop_front(2))
    count *= extent;
  ArrayRef<int64_t> planes = operand.getShape().take_front(2);
  SmallVector<int64_t> flat(planes), places(planes);
  flat.push_back(plane);
  places.push_back(count);
  Type element = operand.getElementType(), compute = computeTypeOf(element);
  Value within = b.binary(BinaryKind::rem, indices, double(plane));
  Value sum = ScatterElementsOp::create(
      b, ScatterKind::add, b.splat(RankedTensorType::get(flat, compute), 0.0),
      b.reshape(within, places), b.reshape(b.cast(g, compute), places), /*dim=*/2);
  return b.cast(b.reshape(sum, operand.getShape()), element);
}

SmallVector<Value> PoolOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  Value g = resultGradients.front();
  RankedTensorType operand = getOperand().getType();
  if (operand.getNumElements() == 0)
    return {b.splat(operand, 0.0)};
  switch (getKind()) {
  case PoolKind::max: {
    auto maxima = PoolArgmaxOp::create(b, getOperand(), getWindow(), getStrides(), getPaddingLow(),
                                       getPaddingHigh(), getDilations());
    return {putAtMaxima(b, operand, maxima.getIndices(), g)};
  }
  case PoolKind::sum:
    break;
  case PoolKind::avg_include: {
    double count = 1;
    for (int64_t extent : getWindow())
      count *= double(extent);
    g = b.binary(BinaryKind::mul, g, 1.0 / count);
    break;
  }
  case PoolKind::avg_exclude:
    g = b.binary(BinaryKind::div, g, numPresent(b, *this));
    break;
  }
  return {spreadSums(b, *this, g)};
}

SmallVector<Value> PoolArgmaxOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  RankedTensorType operand = getOperand().getType();
  if (operand.getNumElements() == 0)
    return {b.splat(operand, 0.0)};
  Value indices = getIndices();
  if (getColumnMajor())
    indices = PoolArgmaxOp::create(b, getOperand(), getWindow(), getStrides(), getPaddingLow(),
                                   getPaddingHigh(), getDilations())
                  .getIndices();
  return {putAtMaxima(b, operand, indices, resultGradients.front())};
}
