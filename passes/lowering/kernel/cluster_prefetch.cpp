// Asks for memory ahead of its use, where processors do not foresee it.
#include "passes/lowering/kernel/cluster_emitter.h"
#include "passes/lowering/kernel/stored_type.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

// Bytes that are on their way while others are used.
static constexpr int64_t bytesAhead = 8 << 10;
// Processors follow rows up to this length by themselves: the next one begins before they lose track.
static constexpr int64_t longRowBytes = 16 << 10;

void ClusterEmitter::prefetchLines(unsigned operand, Value offset, int64_t numLanes) {
  int64_t lineElements = cacheLineBytes / storedBytesOf(operands[operand].elementType);
  for (int64_t element = 0; element < numLanes; element += lineElements)
    operands[operand].prefetch(*this, sum(offset, constant(element)));
}

bool ClusterEmitter::isReadFromMemory(const UnitPass &pass, BlockArgument operand) const {
  const VectorMemory &memory = operands[operand.getArgNumber()];
  const UnitPass *first = llvm::find_if(
      plan.passes, [&](const UnitPass &other) { return llvm::is_contained(other.loads, operand); });
  return memory.isLarge && memory.laneStride == 1 && first == &pass;
}

/// Rows far apart: each is a run of a few lines that nothing announces.
void ClusterEmitter::prefetchLoop(const UnitPass &pass, const Step &step) {
  if (schedule.loopExtents().empty())
    return;
  unsigned dim = schedule.laneDim() - 1;
  int64_t numLanes = (step.numVectors - 1) * width() + step.numLanes;
  for (BlockArgument operand : pass.loads) {
    unsigned index = operand.getArgNumber();
    int64_t bytes = storedBytesOf(operands[index].elementType);
    int64_t rowsAhead = std::clamp<int64_t>(bytesAhead / (numLanes * bytes), 4, 32);
    int64_t stride = accesses[index]->strides[dim];
    if (isReadFromMemory(pass, operand) && stride != 0 && schedule.extents[dim] > 2 * rowsAhead)
      prefetchLines(index, sum(offsetOf(step, index, 0), constant(rowsAhead * stride)), numLanes);
  }
}

/// The second pass has its operands in the cache, so memory is idle.
void ClusterEmitter::prefetchNextUnit(const UnitPass &pass, const Step &step) {
  if (!schedule.reducesLanes || schedule.numUnitDims == 0 || plan.passes.size() < 2 ||
      &pass != &plan.passes[1])
    return;
  for (BlockArgument operand : plan.passes[0].loads) {
    unsigned index = operand.getArgNumber();
    int64_t bytes = schedule.numLanes() * storedBytesOf(operands[index].elementType);
    int64_t stride = accesses[index]->strides[schedule.numUnitDims - 1];
    if (isReadFromMemory(plan.passes[0], operand) && stride != 0 && bytes >= longRowBytes)
      prefetchLines(index, sum(offsetOf(step, index, 0), constant(stride)), stepLanes);
  }
}

/// Each row of a square is one line.
void ClusterEmitter::prefetchTile(const UnitPass &pass, const Values &offsets, Value lane) {
  for (BlockArgument operand : pass.loads) {
    unsigned index = operand.getArgNumber();
    const VectorMemory &memory = operands[index];
    if (!memory.isLarge || accesses[index]->tileStride != 1 || memory.laneStride <= 1)
      continue;
    Value next = sum(lane, constant(schedule.tileLanes));
    for (int64_t row = 0; row < schedule.tileLanes; ++row)
      memory.prefetch(*this,
                      sum(offsets[index], scaled(sum(next, constant(row)), memory.laneStride)));
  }
}
