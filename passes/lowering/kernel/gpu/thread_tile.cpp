// Turns operands that lie contiguous across the lanes.
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/lowering/kernel/gpu/thread_emitter.h"
#include "passes/lowering/kernel/stored_type.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

/// Each warp reads runs of places of one lane after the other, which the threads then take by lanes.
void ThreadEmitter::enterTile() {
  ImplicitLocOpBuilder &b = builder();
  const ThreadTile &tile = *plan.tile;
  auto takeInnermost = [&](int64_t extent) {
    Value index = arith::RemUIOp::create(b, unit, count(extent));
    unit = arith::DivUIOp::create(b, unit, count(extent));
    return index;
  };
  Value lane = takeInnermost(tile.paddedLanes());
  tileStart = scaled(takeInnermost(tile.blocks()), ThreadTile::side);
  advance(unitOffsets, plan.unitDims, unit);
  Values rowOffsets = unitOffsets;

  // Places past the ends stand for the last ones.
  auto within = [&](Value index, int64_t extent) {
    return extent % ThreadTile::side == 0
               ? index
               : Value(arith::MinSIOp::create(b, index, count(extent - 1)));
  };
  if (tile.lanes % ThreadTile::side != 0)
    unitIsValid = both(unitIsValid, isLess(lane, count(tile.lanes)));
  Value firstLane = arith::SubIOp::create(b, lane, column);
  lane = within(lane, tile.lanes);
  for (auto [offset, laneStride, stride] :
       llvm::zip_equal(unitOffsets, plan.laneStrides, tile.strides))
    offset = sum(sum(offset, scaled(lane, laneStride)), scaled(tileStart, stride));

  for (unsigned operand : tile.turned) {
    DeviceMemory &memory = operands[operand];
    DeviceMemory square{
        LLVM::GEPOp::create(b, places.shared.getType(), b.getI8Type(), places.shared,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(sharedTaken)}),
        memory.elementType, /*laneStride=*/0};
    int64_t bytes = ThreadTile::side * ThreadTile::pitch * storedBytesOf(memory.elementType);
    sharedTaken += llvm::alignTo(bytes, 16);
    Value place = within(sum(tileStart, column), tile.extent);
    for (int64_t i = 0; i < plan.pointsPerStep; ++i) {
      Value row = sum(member, count(i * plan.cooperating));
      Value ofLane = scaled(within(sum(firstLane, row), tile.lanes), plan.laneStrides[operand]);
      Value element = memory.loadElement(*this, sum(sum(rowOffsets[operand], ofLane), place));
      square.storeElement(*this, sum(scaled(row, ThreadTile::pitch), column), element);
    }
    memory = square;
  }
  barrier();
}
