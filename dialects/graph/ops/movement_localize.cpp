// Movement ops on local shards: dims that elements move along come as windows.
#include "dialects/graph/primitive_builder.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

/// What this rank's places need of an operand, with zeros outside it.
static Value windowWithZeros(PrimitiveBuilder &b, LocalShards &shards, unsigned operand) {
  Value block = shards.operands()[operand];
  auto type = cast<RankedTensorType>(block.getType());
  return shards.windowOf(operand, block, b.splat(type.clone(ArrayRef<int64_t>()), 0));
}

/// A dim that is taken whole is the whole block on each rank; a window begins where the part does.
FailureOr<SmallVector<Value>> SliceOp::localize(LocalShards &shards) {
  PrimitiveBuilder b(getLoc(), shards.builder());
  Value operand = windowWithZeros(b, shards, 0);
  auto block = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> starts(getStarts()), limits(getLimits()), strides(getStrides());
  for (int64_t dim = 0; dim < block.getRank(); ++dim) {
    bool isWhole = getOperand().getType().getDimSize(dim) == getType().getDimSize(dim);
    if (!isWhole && !shards.isWindowed(0, dim))
      continue;
    starts[dim] = 0;
    limits[dim] = block.getDimSize(dim);
    if (isWhole)
      strides[dim] = 1;
  }
  return SmallVector<Value>{SliceOp::create(b, operand, starts, limits, strides)};
}

/// Windows are padded with the value already.
FailureOr<SmallVector<Value>> PadOp::localize(LocalShards &shards) {
  PrimitiveBuilder b(getLoc(), shards.builder());
  Value value = shards.operands()[1];
  Value operand = shards.windowOf(0, shards.operands()[0], value);
  SmallVector<int64_t> low(getLow()), high(getHigh());
  for (int64_t dim = 0; dim < getType().getRank(); ++dim)
    if (shards.isWindowed(0, dim))
      low[dim] = high[dim] = 0;
  return SmallVector<Value>{PadOp::create(b, operand, value, low, high)};
}

/// Windows come in the order of the operand.
FailureOr<SmallVector<Value>> ReverseOp::localize(LocalShards &shards) {
  PrimitiveBuilder b(getLoc(), shards.builder());
  return SmallVector<Value>{ReverseOp::create(b, windowWithZeros(b, shards, 0), getDims())};
}

/// Each place takes the element of the operand that it lies in, of windows as long as the result.
FailureOr<SmallVector<Value>> ConcatOp::localize(LocalShards &shards) {
  PrimitiveBuilder b(getLoc(), shards.builder());
  int64_t dim = getDim();
  if (!shards.isWindowed(0, dim))
    return SmallVector<Value>{ConcatOp::create(b, shards.operands(), dim)};
  auto type = cast<RankedTensorType>(shards.resultTypes()[0]);
  RankedTensorType counts = type.clone(b.getI64Type());
  Value begin = b.broadcast(shards.resultBegin(0, dim), type.getShape(), {});
  Value places = b.binary(BinaryKind::add, IotaOp::create(b, counts, dim), begin);
  Value joined = windowWithZeros(b, shards, 0);
  int64_t end = 0; // of the operands that are joined
  for (unsigned index = 1; index < getOperands().size(); ++index) {
    end += cast<RankedTensorType>(getOperand(index - 1).getType()).getDimSize(dim);
    Value isBefore = b.compare(CompareKind::lt, places, b.splat(counts, double(end)));
    joined = b.select(isBefore, joined, windowWithZeros(b, shards, index));
  }
  return SmallVector<Value>{joined};
}
