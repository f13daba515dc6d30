// Constants, counting and random numbers on local shards.
#include "dialects/graph/ops/random_part.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

FailureOr<SmallVector<Value>> ConstantOp::localize(LocalShards &shards) {
  auto type = cast<RankedTensorType>(shards.resultTypes()[0]);
  PrimitiveBuilder b(getLoc(), shards.builder());
  TypedAttr value = getValue();
  if (type != getType())
    value = cast<SplatElementsAttr>(value).resizeSplat(type);
  return SmallVector<Value>{ConstantOp::create(b, value)};
}

/// Counts in i64 from where the part begins, and rounds to the element type then, as the whole op does.
FailureOr<SmallVector<Value>> IotaOp::localize(LocalShards &shards) {
  auto type = cast<RankedTensorType>(shards.resultTypes()[0]);
  PrimitiveBuilder b(getLoc(), shards.builder());
  if (shards.numResultParts(0, getDim()) == 1)
    return SmallVector<Value>{IotaOp::create(b, type, getDim())};
  Value places = IotaOp::create(b, type.clone(b.getI64Type()), getDim());
  Value begin = b.broadcast(shards.resultBegin(0, getDim()), type.getShape(), {});
  return SmallVector<Value>{
      b.cast(b.binary(BinaryKind::add, places, begin), type.getElementType())};
}

void sheaf::graph::placeInWhole(RandomOp part, ArrayRef<int64_t> whole, LocalShards &shards) {
  PrimitiveBuilder b(part.getLoc(), shards.builder());
  b.setInsertionPoint(part);
  Value first;
  int64_t stride = 1;
  for (int64_t dim : llvm::reverse(llvm::seq<int64_t>(0, whole.size()))) {
    if (shards.numResultParts(0, dim) > 1) {
      Value skipped = b.binary(BinaryKind::mul, shards.resultBegin(0, dim), double(stride));
      first = first ? b.binary(BinaryKind::add, first, skipped) : skipped;
    }
    stride *= whole[dim];
  }
  if (!first)
    return;
  part.getFirstMutable().assign(first);
  part.setWhole(whole);
}

FailureOr<SmallVector<Value>> RandomOp::localize(LocalShards &shards) {
  PrimitiveBuilder b(getLoc(), shards.builder());
  auto type = cast<RankedTensorType>(shards.resultTypes()[0]);
  ValueRange local = shards.operands();
  auto part = RandomOp::create(b, type, getKind(), getSeed(), getA(), getB(),
                               getCounter() ? local.front() : Value(),
                               getFirst() ? local.back() : Value(), getWholeAttr());
  placeInWhole(part, getType().getShape(), shards);
  return SmallVector<Value>{part};
}
