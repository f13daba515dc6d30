// Builds where a rank's block of a dim begins and how much of it is the tensor's.
#include "passes/sharding/shard_place.h"

using namespace mlir;
using namespace sheaf::dist;
using sheaf::graph::BinaryKind;
using sheaf::graph::CompareKind;
using sheaf::graph::PrimitiveBuilder;

namespace sheaf::sharding {

static RankedTensorType scalarType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 64));
}

Value ShardPlaces::indexAlong(PrimitiveBuilder &b, AxisListRef axes) {
  return ShardIndexOp::create(b, scalarType(b.getContext()), attrOf(axes));
}

ShardPlaces::Place ShardPlaces::build(PrimitiveBuilder &b, int64_t extent, AxisListRef axes) {
  RankedTensorType type = scalarType(b.getContext());
  int64_t size = blockOf(extent, axes);
  if (extent % sizeOf(axes) == 0)
    return {b.binary(BinaryKind::mul, indexAlong(b, axes), double(size)),
            b.splat(type, double(size))};
  // Shard::part, axis by axis.
  Value begin = b.splat(type, 0), held = b.splat(type, double(extent));
  int64_t blockSize = extent;
  for (Axis axis : axes) {
    blockSize = blockOf(blockSize, {axis});
    Value offset = b.binary(BinaryKind::mul, indexAlong(b, {axis}), double(blockSize));
    Value skipped = b.binary(BinaryKind::min, offset, held);
    begin = b.binary(BinaryKind::add, begin, skipped);
    held = b.binary(BinaryKind::min, b.binary(BinaryKind::sub, held, skipped), double(blockSize));
  }
  return {begin, held};
}

ShardPlaces::Place ShardPlaces::of(int64_t extent, AxisListRef axes) {
  std::vector<int64_t> key = {extent};
  for (Axis axis : axes)
    llvm::append_values(key, int64_t(axis.index), axis.preSize, axis.size);
  auto [entry, isNew] = known.try_emplace(std::move(key));
  if (!isNew)
    return entry->second;
  OpBuilder at(block->getParentOp()->getContext());
  if (last)
    at.setInsertionPointAfter(last);
  else
    at.setInsertionPointToStart(block);
  PrimitiveBuilder b(loc, at);
  entry->second = build(b, extent, axes);
  // Whatever was built lies before the insertion point.
  last = &*std::prev(b.getInsertionPoint());
  return entry->second;
}

Value maskedFrom(PrimitiveBuilder &b, Value block, unsigned dim, Value extent, double value) {
  auto type = cast<RankedTensorType>(block.getType());
  RankedTensorType counts = type.clone(IntegerType::get(b.getContext(), 64));
  Value places = graph::IotaOp::create(b, counts, int64_t(dim));
  Value isHeld = b.compare(CompareKind::lt, places, b.broadcast(extent, type.getShape(), {}));
  return b.select(isHeld, block, b.splat(type, value));
}

} // namespace sheaf::sharding
