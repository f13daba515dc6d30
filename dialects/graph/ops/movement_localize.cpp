// Movement ops on local shards whose attributes hold extents.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

/// A dim that is taken whole is the whole block on each rank.
FailureOr<SmallVector<Value>> SliceOp::localize(LocalShards &shards) {
  Value operand = shards.operands()[0];
  auto block = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> starts(getStarts()), limits(getLimits()), strides(getStrides());
  for (int64_t dim = 0; dim < block.getRank(); ++dim) {
    if (getOperand().getType().getDimSize(dim) != getType().getDimSize(dim))
      continue;
    starts[dim] = 0;
    limits[dim] = block.getDimSize(dim);
    strides[dim] = 1;
  }
  return SmallVector<Value>{
      SliceOp::create(shards.builder(), getLoc(), operand, starts, limits, strides)};
}
