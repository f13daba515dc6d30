// Cross entropy in primitive ops.
#include "dialects/graph/primitive_builder.h"

using namespace mlir;
using namespace sheaf::graph;

/// The logarithm of the sum of exponentials of each row.
static Value logSumExp(PrimitiveBuilder &b, Value x, int64_t dim) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(x.getType()).getShape();
  Value max = b.reduce(ReduceKind::max, x, dim);
  Value shifted = b.binary(BinaryKind::sub, x, b.spread(max, shape, dim));
  Value sum = b.reduce(ReduceKind::sum, b.unary(UnaryKind::exp, shifted), dim);
  return b.binary(BinaryKind::add, b.unary(UnaryKind::log, sum), max);
}

/// `x[.., label]` of each row.
static Value takeLabels(PrimitiveBuilder &b, Value x, Value labels, int64_t dim) {
  SmallVector<int64_t> rows(cast<RankedTensorType>(labels.getType()).getShape());
  SmallVector<int64_t> column(rows);
  column.push_back(1);
  return b.reshape(GatherElementsOp::create(b, x, b.reshape(labels, column), dim), rows);
}

SmallVector<Value> CrossEntropyOp::decompose(OpBuilder &builder) {
  PrimitiveBuilder b(getLoc(), builder);
  Type compute = getResult().getType().getElementType();
  int64_t dim = getLogits().getType().getRank() - 1;
  double smoothing = getLabelSmoothing().convertToDouble();
  Value x = b.cast(getLogits(), compute);
  Value labels = getLabels(), isIgnored;
  if (getIgnoreIndex()) {
    // An ignored label may be out of range; look up a harmless one instead.
    Value ignored = ConstantOp::create(
        b, DenseElementsAttr::get(getLabels().getType(),
                                  IntegerAttr::get(getLabels().getType().getElementType(),
                                                   int64_t(*getIgnoreIndex()))));
    isIgnored = b.compare(CompareKind::eq, labels, ignored);
    labels = b.select(isIgnored, b.splatLike(labels, 0), labels);
  }
  // Elements are looked up from the end by negative indices, classes are not: less all classes they are out of range.
  double numClasses = double(getLogits().getType().getDimSize(dim));
  labels = b.select(b.compare(CompareKind::lt, labels, b.splatLike(labels, 0)),
                    b.binary(BinaryKind::sub, labels, numClasses), labels);
  Value loss = logSumExp(b, x, dim);
  // Of the logits themselves: in another type they would be stored once more to be looked up in.
  Value taken = b.cast(takeLabels(b, getLogits(), labels, dim), compute);
  if (smoothing != 0.0) {
    taken = b.binary(BinaryKind::mul, taken, 1.0 - smoothing);
    loss = b.binary(BinaryKind::sub, loss, b.binary(BinaryKind::mul, b.mean(x, dim), smoothing));
  }
  loss = b.binary(BinaryKind::sub, loss, taken);
  if (isIgnored)
    loss = b.select(isIgnored, b.splatLike(loss, 0), loss);
  return {loss};
}
