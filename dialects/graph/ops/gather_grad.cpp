// Gradients of the gathers: what was taken is added up where it was taken from, in f32 for narrower
// floats, since one element may be taken many times.
#include "dialects/graph/primitive_builder.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace sheaf::graph;

/// The gradients of the operand and the indices of a gather: `addTo(b, zeros, gradient)` adds up, in zeros of the
/// operand's shape, what was taken. Both are of the type to add up in.
template <typename Op>
static SmallVector<Value>
addUp(Op op, OpBuilder &builder, Value gradient,
      function_ref<Value(PrimitiveBuilder &b, Value zeros, Value gradient)> addTo) {
  PrimitiveBuilder b(op.getLoc(), builder);
  RankedTensorType operand = op.getOperand().getType();
  Type compute = computeTypeOf(operand.getElementType());
  Value sum = addTo(b, b.splat(operand.clone(compute), 0.0), b.cast(gradient, compute));
  return {b.cast(sum, operand.getElementType()), Value()};
}

/// Rows of a table: each index is a tuple of one.
static Value addRows(PrimitiveBuilder &b, Value zeros, Value indices, Value gradient) {
  SmallVector<int64_t> tuples(shapeOf(indices));
  tuples.push_back(1);
  return ScatterNDOp::create(b, ScatterKind::add, zeros, b.reshape(indices, tuples), gradient);
}

/// Slices along any dim: one index for each element, so that all other dims stay apart.
static Value addSlices(PrimitiveBuilder &b, Value zeros, Value indices, Value gradient, int64_t dim,
                       int64_t batchDims) {
  ArrayRef<int64_t> batch = shapeOf(indices).take_front(batchDims);
  int64_t count = 1;
  for (int64_t extent : shapeOf(indices).drop_front(batchDims))
    count *= extent;
  SmallVector<int64_t> shape(shapeOf(zeros)), rows(batch);
  shape[dim] = count;
  rows.push_back(count);
  SmallVector<int64_t> places = llvm::to_vector(llvm::seq<int64_t>(0, batchDims));
  places.push_back(dim);
  Value perElement = b.broadcast(b.reshape(indices, rows), shape, places);
  return ScatterElementsOp::create(b, ScatterKind::add, zeros, perElement,
                                   b.reshape(gradient, shape), dim);
}

SmallVector<Value> GatherOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  return addUp(*this, builder, resultGradients.front(),
               [&](PrimitiveBuilder &b, Value zeros, Value gradient) {
                 return getDim() == 0
                            ? addRows(b, zeros, getIndices(), gradient)
                            : addSlices(b, zeros, getIndices(), gradient, getDim(), getBatchDims());
               });
}

SmallVector<Value> GatherElementsOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  return addUp(*this, builder, resultGradients.front(),
               [&](PrimitiveBuilder &b, Value zeros, Value gradient) -> Value {
                 return ScatterElementsOp::create(b, ScatterKind::add, zeros, getIndices(),
                                                  gradient, getDim());
               });
}

/// The tuples with the places in the batch dims in front.
static Value withBatch(PrimitiveBuilder &b, Value tuples, int64_t batchDims) {
  auto type = cast<RankedTensorType>(tuples.getType());
  SmallVector<int64_t> one(type.getShape());
  one.back() = 1;
  SmallVector<Value> parts;
  for (int64_t dim = 0; dim < batchDims; ++dim)
    parts.push_back(IotaOp::create(b, type.clone(one), dim));
  parts.push_back(tuples);
  return ConcatOp::create(b, parts, type.getRank() - 1);
}

SmallVector<Value> GatherNDOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  return addUp(*this, builder, resultGradients.front(),
               [&](PrimitiveBuilder &b, Value zeros, Value gradient) -> Value {
                 Value tuples = getBatchDims() == 0 ? Value(getIndices())
                                                    : withBatch(b, getIndices(), getBatchDims());
                 return ScatterNDOp::create(b, ScatterKind::add, zeros, tuples, gradient);
               });
}
