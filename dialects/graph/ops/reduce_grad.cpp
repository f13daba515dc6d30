// Gradients of graph.reduce.
//
// Elements that share the maximum or minimum share its gradient equally, as in PyTorch's amax and JAX.
// The gradient of a product multiplies the elements before and those behind, so that zeros among them
// do no harm.
#include "dialects/graph/primitive_builder.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace sheaf::graph;

/// `x` and `y` are operand and result, `g` the gradient of `y`, all of a compute type.
static Value buildExtreme(PrimitiveBuilder &b, Value x, Value y, Value g, ArrayRef<int64_t> dims) {
  Value isExtreme = b.compare(CompareKind::eq, x, b.spread(y, shapeOf(x), dims));
  Type element = cast<RankedTensorType>(x.getType()).getElementType();
  Value count = b.reduce(ReduceKind::sum, b.cast(isExtreme, element), dims);
  Value share = b.spread(b.binary(BinaryKind::div, g, count), shapeOf(x), dims);
  return b.select(isExtreme, share, b.splatLike(x, 0.0));
}

/// The products of all other elements along the last dim.
static Value productOfOthers(PrimitiveBuilder &b, Value x) {
  int64_t last = shapeOf(x).size() - 1;
  Value before = CumulativeOp::create(b, ReduceKind::prod, x, last, /*exclusive=*/true);
  Value behind =
      CumulativeOp::create(b, ReduceKind::prod, x, last, /*exclusive=*/true, /*reverse=*/true);
  return b.binary(BinaryKind::mul, before, behind);
}

static Value buildProduct(PrimitiveBuilder &b, Value x, Value g, ArrayRef<int64_t> dims) {
  // The dims that are reduced become the last one.
  SmallVector<int64_t> order;
  for (int64_t dim : llvm::seq<int64_t>(shapeOf(x).size()))
    if (!llvm::is_contained(dims, dim))
      order.push_back(dim);
  llvm::append_range(order, dims);
  Value moved = TransposeOp::create(b, x, order);
  SmallVector<int64_t> rows(shapeOf(g));
  int64_t length = 1;
  for (int64_t dim : dims)
    length *= shapeOf(x)[dim];
  rows.push_back(length);
  Value others = productOfOthers(b, b.reshape(moved, rows));
  others = b.reshape(others, shapeOf(moved));
  others = TransposeOp::create(b, others, invertPermutationVector(order));
  return b.binary(BinaryKind::mul, others, b.spread(g, shapeOf(x), dims));
}

SmallVector<Value> ReduceOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  RankedTensorType type = getOperand().getType();
  if (getKind() == ReduceKind::sum)
    return {b.spread(resultGradients.front(), type.getShape(), getDims())};
  Type compute = computeTypeOf(type.getElementType());
  Value x = b.cast(getOperand(), compute), g = b.cast(resultGradients.front(), compute);
  Value gradient = getKind() == ReduceKind::prod
                       ? buildProduct(b, x, g, getDims())
                       : buildExtreme(b, x, b.cast(getResult(), compute), g, getDims());
  return {b.cast(gradient, type.getElementType())};
}
