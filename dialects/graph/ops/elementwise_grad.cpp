// Gradients of graph.select and graph.cast.
#include "dialects/graph/primitive_builder.h"

using namespace mlir;
using namespace sheaf::graph;

/// Flows to the operand that was chosen; what is chosen by is boolean and has none.
SmallVector<Value> SelectOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  Value gradient = resultGradients.front(), zero = b.splatLike(gradient, 0.0);
  return {Value(), b.select(getPredicate(), gradient, zero),
          b.select(getPredicate(), zero, gradient)};
}

/// Rounding and saturating count as the identity; integers have no gradient.
SmallVector<Value> CastOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  Type element = getOperand().getType().getElementType();
  if (!isa<FloatType>(element))
    return {Value()};
  return {PrimitiveBuilder(getLoc(), builder).cast(resultGradients.front(), element)};
}
