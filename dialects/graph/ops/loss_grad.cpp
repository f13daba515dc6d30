// Gradient of graph.cross_entropy: `g (softmax(x) - (1 - e) [class is the label] - e / v)` per row, 0
// where the label is ignored.
//
// The softmax is computed again from the logits, in f32 for narrower floats, and everything per element
// is one pass over them: one kernel reads the logits and writes their gradient in their own type.
#include "dialects/graph/primitive_builder.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace sheaf::graph;

/// Whether each label is one that is left out.
static Value isIgnored(PrimitiveBuilder &b, Value labels, int64_t ignoreIndex) {
  Type element = typeOf(labels).getElementType();
  Value ignored = ConstantOp::create(
      b, DenseElementsAttr::get(typeOf(labels), IntegerAttr::get(element, ignoreIndex)));
  return b.compare(CompareKind::eq, labels, ignored);
}

SmallVector<Value> CrossEntropyOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  RankedTensorType type = getLogits().getType();
  int64_t dim = type.getRank() - 1, numClasses = type.getDimSize(dim);
  double smoothing = getLabelSmoothing().convertToDouble();
  auto perClass = [&](Value row) { return b.spread(row, type.getShape(), {dim}); };

  Value g = resultGradients.front();
  if (getIgnoreIndex())
    g = b.select(isIgnored(b, getLabels(), *getIgnoreIndex()), b.splatLike(g, 0.0), g);
  Value x = b.cast(getLogits(), typeOf(g).getElementType());
  Value highest = perClass(b.reduce(ReduceKind::max, x, {dim}));
  Value exponential = b.unary(UnaryKind::exp, b.binary(BinaryKind::sub, x, highest));
  Value sum = b.reduce(ReduceKind::sum, exponential, {dim});
  Value gradient =
      b.binary(BinaryKind::mul, exponential, perClass(b.binary(BinaryKind::div, g, sum)));

  Value labels = perClass(getLabels());
  Value isLabel = b.compare(CompareKind::eq, IotaOp::create(b, labels.getType(), dim), labels);
  Value counted = perClass(b.binary(BinaryKind::mul, g, 1.0 - smoothing));
  gradient =
      b.binary(BinaryKind::sub, gradient, b.select(isLabel, counted, b.splatLike(counted, 0.0)));
  if (smoothing != 0.0)
    gradient = b.binary(BinaryKind::sub, gradient,
                        perClass(b.binary(BinaryKind::mul, g, smoothing / double(numClasses))));
  return {b.cast(gradient, type.getElementType()), Value()};
}
