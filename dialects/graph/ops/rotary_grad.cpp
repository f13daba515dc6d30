// Gradients of graph.rotary: the operand's is rotated back, by the angles with the other sign.
#include "dialects/graph/ops/rotary_pairs.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace sheaf::graph;

SmallVector<Value> RotaryOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  Value g = resultGradients.front();
  Value back =
      RotaryOp::create(b, g, getCosine(), b.unary(UnaryKind::neg, getSine()), getInterleaved());

  // (x1, x2) becomes (x1 cos - x2 sin, x2 cos + x1 sin).
  RankedTensorType table = getCosine().getType();
  Type element = table.getElementType(), compute = computeTypeOf(element);
  auto take = [&](Value x, int64_t which) {
    return b.cast(takeOfPairs(b, x, table.getShape().back(), which, getInterleaved()), compute);
  };
  auto mul = [&](Value x, Value y) { return b.binary(BinaryKind::mul, x, y); };
  Value x1 = take(getOperand(), 0), x2 = take(getOperand(), 1), g1 = take(g, 0), g2 = take(g, 1);
  auto toTable = [&](Value perElement) {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, table.getRank()));
    return b.cast(b.sumTo(perElement, table.getShape(), dims), element);
  };
  return {back, toTable(b.binary(BinaryKind::add, mul(g1, x1), mul(g2, x2))),
          toTable(b.binary(BinaryKind::sub, mul(g2, x1), mul(g1, x2)))};
}
