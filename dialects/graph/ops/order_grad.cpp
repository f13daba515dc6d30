// Gradients of graph.sort and graph.topk: elements go back to the places that the indices name.
#include "dialects/graph/primitive_builder.h"

using namespace mlir;
using namespace sheaf::graph;

/// No place is named twice.
template <typename Op>
static SmallVector<Value> putBack(Op op, OpBuilder &builder, Value gradient) {
  PrimitiveBuilder b(op.getLoc(), builder);
  Value zeros = b.splat(op.getOperand().getType(), 0.0);
  return {ScatterElementsOp::create(b, ScatterKind::add, zeros, op.getIndices(), gradient,
                                    op.getDim())};
}

SmallVector<Value> SortOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  return putBack(*this, builder, resultGradients.front());
}

SmallVector<Value> TopKOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  return putBack(*this, builder, resultGradients.front());
}
