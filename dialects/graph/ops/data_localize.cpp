// Constants and counting on local shards.
#include "dialects/graph/primitive_builder.h"

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
