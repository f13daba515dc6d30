// Operands of the contractions of an attention: rows of heads.
#include "passes/graph/heads.h"

#include "passes/graph/product.h"
#include "passes/graph/view.h"

using namespace mlir;
using namespace sheaf::graph;

Heads Heads::of(Value operand, ArrayRef<int64_t> batch, int64_t row, int64_t column) {
  Heads heads{operand, SmallVector<int64_t>(batch), row, column};
  while (true) {
    Scaled scaled = scaledOf(heads.value);
    heads.value = scaled.x;
    heads.scale *= scaled.factor;
    auto transpose = heads.value.getDefiningOp<TransposeOp>();
    if (!transpose)
      return heads;
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    heads.value = transpose.getOperand();
    for (int64_t &dim : heads.batch)
      dim = permutation[dim];
    heads.row = permutation[heads.row];
    heads.column = permutation[heads.column];
  }
}

Value Heads::beforeRepeat(PrimitiveBuilder &builder) const {
  if (batch.size() != 2)
    return {};
  int64_t head = batch[1];
  // Straight from one head, or by a dim of members next to that of groups, merged by a reshape.
  if (auto broadcast = value.getDefiningOp<BroadcastOp>()) {
    ArrayRef<int64_t> from = shapeOf(broadcast.getOperand());
    if (from.size() != 4 || from[head] != 1)
      return {};
    for (int64_t dim = 0; dim < 4; ++dim)
      if (dim != head && from[dim] != shapeOf(value)[dim])
        return {};
    return broadcast.getOperand();
  }
  auto reshape = value.getDefiningOp<ReshapeOp>();
  auto broadcast = reshape ? reshape.getOperand().getDefiningOp<BroadcastOp>() : BroadcastOp();
  if (!broadcast || broadcast.getType().getRank() != 5)
    return {};
  SmallVector<int64_t> merged(shapeOf(broadcast));
  int64_t groups = merged[head];
  merged[head] *= merged[head + 1];
  merged.erase(merged.begin() + head + 1);
  if (ArrayRef(merged) != shapeOf(value))
    return {};
  // The operand has the dim of members with extent 1, or lacks it; all else is as in the result.
  SmallVector<int64_t> kept;
  for (auto [extent, dim] : llvm::zip_equal(shapeOf(broadcast.getOperand()), broadcast.getDims())) {
    if (extent != (dim == head + 1 ? 1 : shapeOf(broadcast)[dim]))
      return {};
    if (dim != head + 1)
      kept.push_back(dim);
  }
  merged[head] = groups;
  if (kept.size() != 4)
    return {};
  return builder.reshape(broadcast.getOperand(), merged);
}

int64_t Heads::numHeads(Value tensor) const {
  return batch.size() == 2 ? shapeOf(tensor)[batch[1]] : 1;
}

Value Heads::arranged(Value tensor, int64_t b, PrimitiveBuilder &builder) const {
  SmallVector<int64_t> order(batch);
  order.append({row, column});
  int64_t rows = shapeOf(tensor)[row], columns = shapeOf(tensor)[column], all = 1;
  for (int64_t dim : batch)
    all *= shapeOf(tensor)[dim];
  if (!llvm::is_sorted(order))
    tensor = TransposeOp::create(builder, tensor, order);
  return builder.reshape(tensor, {b, b == 0 ? 0 : all / b, rows, columns});
}
