// Softmax and log_softmax in primitive ops: shifted by the row's maximum, so nothing overflows.
#include "dialects/graph/primitive_builder.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {
/// What both start from, in the compute type.
struct ShiftedRows {
  Value shifted;     ///< x - max
  Value exponential; ///< exp(x - max)
  Value sum;         ///< of the exponentials, per row
};
} // namespace

/// A row of only -inf gives -inf - -inf = NaN, as the op defines.
static ShiftedRows shiftRows(PrimitiveBuilder &b, Value operand, int64_t dim) {
  auto type = cast<RankedTensorType>(operand.getType());
  Value x = b.cast(operand, computeTypeOf(type.getElementType()));
  Value max = b.spread(b.reduce(ReduceKind::max, x, dim), type.getShape(), dim);
  Value shifted = b.binary(BinaryKind::sub, x, max);
  Value exponential = b.unary(UnaryKind::exp, shifted);
  return {shifted, exponential, b.reduce(ReduceKind::sum, exponential, dim)};
}

SmallVector<Value> SoftmaxOp::decompose(OpBuilder &builder) {
  PrimitiveBuilder b(getLoc(), builder);
  RankedTensorType type = getOperand().getType();
  int64_t dim = getDim();
  ShiftedRows rows = shiftRows(b, getOperand(), dim);
  Value sum = b.spread(rows.sum, type.getShape(), dim);
  return {b.cast(b.binary(BinaryKind::div, rows.exponential, sum), type.getElementType())};
}

SmallVector<Value> LogSoftmaxOp::decompose(OpBuilder &builder) {
  PrimitiveBuilder b(getLoc(), builder);
  RankedTensorType type = getOperand().getType();
  int64_t dim = getDim();
  ShiftedRows rows = shiftRows(b, getOperand(), dim);
  Value log = b.spread(b.unary(UnaryKind::log, rows.sum), type.getShape(), dim);
  return {b.cast(b.binary(BinaryKind::sub, rows.shifted, log), type.getElementType())};
}
