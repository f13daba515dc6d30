// Emits the vectors of one step of a pass: loads, ops, accumulation, stores.
#include "passes/lowering/kernel/cluster_emitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

/// Everything is loaded, then computed, then stored, so that independent work is near.
ClusterEmitter::Values ClusterEmitter::emitStep(const UnitPass &pass, const Step &step,
                                                Values accumulators) {
  computeStep(pass, step);
  accumulate(pass, step, accumulators);
  for (Value value : pass.saved)
    for (unsigned i = 0; i < step.numVectors; ++i)
      rowOf(value).store(*this, scratchOffset(step, i), valueOf(value, i));
  for (unsigned result : pass.results)
    storeVectors(result, step);
  return accumulators;
}

void ClusterEmitter::computeStep(const UnitPass &pass, const Step &step) {
  vectorsOfStep.clear();
  for (BlockArgument operand : pass.loads)
    vectorsOfStep[operand] = loadVectors(operand, step);
  for (Value value : pass.restored)
    vectorsOfStep[value] = forEachVector(
        step, [&](unsigned i) { return rowOf(value).load(*this, scratchOffset(step, i)); });
  for (Operation *op : pass.computed)
    vectorsOfStep[op->getResult(0)] =
        forEachVector(step, [&](unsigned i) { return emitOp(op, step, i); });
}

/// Squares that are neighbours along the lanes, which is how results lie: no line of theirs is left
/// before it is full.
void ClusterEmitter::emitSquares(const UnitPass &pass, ArrayRef<Step> squares) {
  SmallVector<DenseMap<Value, Values>> vectorsOfSquare;
  for (const Step &square : squares) {
    computeStep(pass, square);
    vectorsOfSquare.push_back(vectorsOfStep);
  }
  for (unsigned result : pass.results)
    for (unsigned i = 0; i < squares.front().numVectors; ++i)
      for (auto [square, vectors] : llvm::zip_equal(squares, vectorsOfSquare)) {
        vectorsOfStep = vectors;
        storeVector(result, square, i);
      }
}

ClusterEmitter::Values ClusterEmitter::forEachVector(const Step &step,
                                                     function_ref<Value(unsigned)> emitVector) {
  Values vectors;
  for (unsigned i = 0; i < step.numVectors; ++i)
    vectors.push_back(emitVector(i));
  return vectors;
}

void ClusterEmitter::accumulate(const UnitPass &pass, const Step &step, Values &accumulators) {
  for (auto [index, op] : llvm::enumerate(pass.reductions)) {
    unsigned first = index * (accumulators.size() / pass.reductions.size());
    auto reduction = cast<CombineOpInterface>(op);
    for (unsigned i = 0; i < step.numVectors; ++i) {
      Value vector = valueOf(op->getOperand(0), i);
      // Lanes past the end must not count; where lanes are separate rows they never do.
      if (int64_t lanes = lanesOf(step, i); lanes < width() && schedule.reducesLanes)
        vector = select(firstLanes(lanes), vector, reduction.emitNeutral(*this));
      accumulators[first + i] = reduction.emitCombined(*this, accumulators[first + i], vector);
    }
  }
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

int64_t ClusterEmitter::lanesOf(const Step &step, unsigned vector) const {
  bool isWhole = !tileVectors && vector + 1 != step.numVectors;
  return isWhole ? width() : step.numLanes;
}

Value ClusterEmitter::offsetOf(const Step &step, unsigned access, unsigned vector) {
  int64_t laneStride = accesses[access]->strides[schedule.laneDim()];
  int64_t vectorStride = tileVectors ? accesses[access]->tileStride : laneStride * width();
  Value offset = step.offsets[access];
  if (laneStride != 0)
    offset = sum(offset, scaled(step.lane, laneStride));
  if (vector != 0 && vectorStride != 0)
    offset = sum(offset, constant(vector * vectorStride));
  return offset;
}

Value ClusterEmitter::scratchOffset(const Step &step, unsigned vector) {
  return sum(sum(step.offsets.back(), step.lane), constant(vector * width()));
}

VectorMemory ClusterEmitter::rowOf(Value saved) const {
  unsigned row = plan.rowOf.lookup(saved);
  return {rows[row], plan.rowTypes[row]};
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ClusterEmitter::valueOf(Value value, unsigned vector) const {
  if (auto found = vectorsOfStep.find(value); found != vectorsOfStep.end())
    return found->second[vector];
  const Values &vectors = vectorsOfUnit.find(value)->second;
  return vectors[vectors.size() == 1 ? 0 : vector];
}

Value ClusterEmitter::loadOperand(BlockArgument operand, const Step &step, unsigned vector) {
  const VectorMemory &memory = operands[operand.getArgNumber()];
  return memory.load(*this, offsetOf(step, operand.getArgNumber(), vector), lanesOf(step, vector));
}

ClusterEmitter::Values ClusterEmitter::loadVectors(BlockArgument operand, const Step &step) {
  unsigned index = operand.getArgNumber();
  const VectorMemory &memory = operands[index];
  bool isAcross = tileVectors && accesses[index]->tileStride == 1 && memory.laneStride != 0 &&
                  memory.laneStride != 1;
  if (isAcross)
    return memory.loadTile(*this, offsetOf(step, index, 0), step.numLanes, step.numVectors);
  if (!isPaired(step) || memory.laneStride == 0)
    return forEachVector(step, [&](unsigned i) { return loadOperand(operand, step, i); });
  Values vectors;
  for (unsigned i = 0; i < step.numVectors; i += 2) {
    VectorMemory::Pair pair = memory.loadPair(*this, offsetOf(step, index, i));
    vectors.append({pair.even, pair.odd});
  }
  return vectors;
}

void ClusterEmitter::storeVectors(unsigned result, const Step &step) {
  Value value = body.getTerminator()->getOperand(result);
  const VectorMemory &memory = results[result];
  unsigned access = operands.size() + result;
  if (isPaired(step)) {
    for (unsigned i = 0; i < step.numVectors; i += 2)
      memory.storePair(*this, offsetOf(step, access, i),
                       {valueOf(value, i), valueOf(value, i + 1)});
    return;
  }
  for (unsigned i = 0; i < step.numVectors; ++i)
    storeVector(result, step, i);
}

void ClusterEmitter::storeVector(unsigned result, const Step &step, unsigned vector) {
  Value value = body.getTerminator()->getOperand(result);
  results[result].store(*this, offsetOf(step, operands.size() + result, vector),
                        valueOf(value, vector), lanesOf(step, vector));
}

/// Passes over the same lanes take the same steps, so values saved for later passes are in order too.
bool ClusterEmitter::isPaired(const Step &step) const {
  return pairsVectors && step.numVectors % 2 == 0 && step.numLanes == width();
}

Value ClusterEmitter::emitOp(Operation *op, const Step &step, unsigned vector) {
  Values arguments;
  for (Value operand : op->getOperands())
    arguments.push_back(valueOf(operand, vector));
  auto emitted = dyn_cast<EmitOpInterface>(op);
  if (!emitted) // A reduction of nothing.
    return arguments[0];
  isRoundedToBfloat = getElementTypeOrSelf(op->getResult(0)).isBF16();
  currentOp = op;
  currentStep = &step;
  currentVector = vector;
  return emitted.emit(*this, arguments);
}

Value ClusterEmitter::position(int64_t dim) {
  ImplicitLocOpBuilder &b = builder();
  unsigned index = counterOf.find({currentOp->getResult(0), dim})->second;
  int64_t stride = accesses[index]->strides[schedule.laneDim()];
  VectorType type = vectorOf(b.getI64Type());
  Value first = vector::BroadcastOp::create(b, type, offsetOf(*currentStep, index, currentVector));
  SmallVector<int64_t> steps;
  for (int64_t lane = 0; lane < width(); ++lane)
    steps.push_back(lane * stride);
  Value lanes =
      arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef<int64_t>(steps)));
  return arith::AddIOp::create(b, first, lanes);
}

void ClusterEmitter::noteStatistic(Value vector) {
  if (getElementTypeOrSelf(vector).isF32())
    statistics.try_emplace(vector, std::nullopt);
}

/// A division by a statistic of a row becomes a multiplication, whose factors are made before the loop.
Value ClusterEmitter::div(Value x, Value y) {
  auto found = statistics.find(y);
  if (found == statistics.end() || vectorsOfStep.empty())
    return HostEmitter::div(x, y);
  if (!found->second) {
    OpBuilder::InsertionGuard guard(builder());
    if (outermostLoop)
      builder().setInsertionPoint(outermostLoop);
    found->second = reciprocalOf(y);
  }
  return mulByReciprocal(x, *found->second);
}
