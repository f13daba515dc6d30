// Emits the units, passes and points of a thread.
#include "passes/lowering/kernel/gpu/thread_emitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;
using arith::CmpIPredicate;

ThreadEmitter::ThreadEmitter(ImplicitLocOpBuilder &builder, int64_t width, graph::ClusterOp cluster,
                             const ThreadPlan &plan, const PassPlan &passes,
                             ArrayRef<DeviceMemory> operands, ArrayRef<DeviceMemory> results,
                             ArrayRef<std::pair<Value, int64_t>> counted, MeetingPlaces places)
    : GpuEmitter(builder, width), body(*cluster.getBodyBlock()), plan(plan), passes(passes),
      operands(operands), results(results), places(places) {
  for (auto [index, counter] : llvm::enumerate(counted))
    accessOfCounter[counter] = operands.size() + results.size() + index;
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

Type ThreadEmitter::countType() {
  return plan.hasShortOffsets ? builder().getI32Type() : builder().getI64Type();
}

Value ThreadEmitter::count(int64_t value) {
  return arith::ConstantOp::create(builder(), builder().getIntegerAttr(countType(), value));
}

Value ThreadEmitter::counted(Value word) {
  return plan.hasShortOffsets ? word : arith::ExtUIOp::create(builder(), countType(), word);
}

Value ThreadEmitter::sum(Value x, Value y) {
  return arith::AddIOp::create(builder(), x, y, arith::IntegerOverflowFlags::nsw);
}

Value ThreadEmitter::scaled(Value x, int64_t factor) {
  if (factor == 1)
    return x;
  return arith::MulIOp::create(builder(), x, count(factor), arith::IntegerOverflowFlags::nsw);
}

Value ThreadEmitter::isLess(Value x, Value y) { return compare(CmpIPredicate::slt, x, y); }

Value ThreadEmitter::both(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(builder(), x, y);
}

void ThreadEmitter::advance(Values &offsets, ArrayRef<ThreadDim> dims, Value index) {
  for (unsigned i = dims.size(); i-- > 0;) {
    Value ofDim = index;
    if (i > 0) {
      ofDim = arith::RemUIOp::create(builder(), index, count(dims[i].extent));
      index = arith::DivUIOp::create(builder(), index, count(dims[i].extent));
    }
    for (auto [offset, stride] : llvm::zip_equal(offsets, dims[i].strides))
      if (stride != 0)
        offset = sum(offset, scaled(ofDim, stride));
  }
}

void ThreadEmitter::emitIf(Value condition, function_ref<void()> emitBody) {
  if (!condition)
    return emitBody();
  auto branch = scf::IfOp::create(builder(), condition);
  OpBuilder::InsertionGuard guard(builder());
  builder().setInsertionPointToStart(branch.thenBlock());
  emitBody();
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

void ThreadEmitter::placeThread(Value block, Value threadOfBlock) {
  ImplicitLocOpBuilder &b = builder();
  thread = threadOfBlock;
  unitBlock = block;
  if (plan.splits > 1) {
    split = counted(arith::RemUIOp::create(b, block, word(plan.splits)));
    unitBlock = arith::DivUIOp::create(b, block, word(plan.splits));
  }
  Value columnWord = thread, ofUnit = word(0);
  if (plan.reducesLanes) { // Neighbouring threads take neighbouring vectors: of one row,
    columnWord = arith::DivUIOp::create(b, thread, word(plan.cooperating));
    ofUnit = arith::RemUIOp::create(b, thread, word(plan.cooperating));
  } else if (plan.cooperating > 1) { // or of one place of neighbouring rows.
    columnWord = arith::RemUIOp::create(b, thread, word(plan.columns));
    ofUnit = arith::DivUIOp::create(b, thread, word(plan.columns));
  }
  column = counted(columnWord);
  unit = sum(scaled(counted(unitBlock), plan.columns), column);
  member = counted(ofUnit);
  if (plan.cooperating > 1)
    isFirst = compare(CmpIPredicate::eq, member, count(0));
}

void ThreadEmitter::emitThread(Value block, Value threadOfBlock) {
  placeThread(block, threadOfBlock);
  bool fills = plan.numUnits % plan.columns == 0;
  if (!fills && plan.cooperating == 1) {
    emitIf(isLess(unit, count(plan.numUnits)), [&] { emitUnit(); });
    return;
  }
  // Threads without a unit do the last one too, since others wait for all, but store nothing.
  if (!fills) {
    unitIsValid = isLess(unit, count(plan.numUnits));
    unit = select(unitIsValid, unit, count(plan.numUnits - 1));
  }
  emitUnit();
}

void ThreadEmitter::emitElement(Value element) {
  unit = element;
  member = count(0);
  emitUnit();
}

void ThreadEmitter::emitUnit() {
  OpBuilder::InsertionGuard guard(builder()); // Where blocks share units, it ends within a branch.
  unitOffsets.assign(plan.laneStrides.size(), count(0));
  bool isSingleElement = width() != plan.width;
  if (isSingleElement) {
    for (auto [offset, stride] : llvm::zip_equal(unitOffsets, plan.laneStrides))
      offset = scaled(unit, stride);
  } else if (plan.tile) {
    enterTile();
  } else {
    advance(unitOffsets, plan.unitDims, unit);
  }
  for (const UnitPass &pass : passes.passes) {
    emitUnitValues(pass.unitValues);
    emitPass(pass);
  }
  emitUnitValues(passes.lateUnitValues);
  storeUnitResults();
}

void ThreadEmitter::emitUnitValues(ArrayRef<Value> values) {
  for (Value value : values) {
    if (auto operand = dyn_cast<BlockArgument>(value)) {
      unsigned access = operand.getArgNumber();
      setUnitValue(value, operands[access].load(*this, unitOffsets[access]));
      continue;
    }
    setUnitValue(value, emitOp(value.getDefiningOp(), unitOffsets,
                               [&](Value operand) { return unitValues.lookup(operand); }));
  }
}

void ThreadEmitter::setUnitValue(Value value, Value vector) {
  unitValues[value] = vector;
  if (passes.statistics.contains(value) && getElementTypeOrSelf(vector).isF32())
    statistics.insert(vector);
}

void ThreadEmitter::storeUnitResults() {
  if (passes.unitResults.empty())
    return;
  emitIf(both(unitIsValid, isFirst), [&] {
    for (unsigned result : passes.unitResults) {
      Value vector = unitValues.lookup(body.getTerminator()->getOperand(result));
      Value offset = unitOffsets[operands.size() + result];
      if (plan.reducesLanes) // All lanes are the same.
        results[result].storeElement(*this, offset,
                                     vector::ExtractOp::create(builder(), vector, int64_t(0)));
      else
        results[result].store(*this, offset, vector);
    }
  });
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

void ThreadEmitter::emitPass(const UnitPass &pass) {
  Values accumulators;
  for (Operation *op : pass.reductions)
    accumulators.append(plan.pointsPerStep, cast<CombineOpInterface>(op).emitNeutral(*this));
  accumulators = emitPoints(pass, accumulators);
  finishReductions(pass, accumulators);
}

ThreadEmitter::Values ThreadEmitter::emitPoints(const UnitPass &pass, Values accumulators) {
  if (plan.numPoints == 0)
    return accumulators;
  int64_t numPoints = plan.pointsPerSplit(), perStep = plan.pointsPerStep * plan.cooperating;
  Value first = split ? sum(member, scaled(split, numPoints)) : member;
  int64_t numWhole = plan.keepsPoints ? 0 : numPoints / perStep;
  if (numWhole > 0) {
    auto loop = scf::ForOp::create(builder(), count(0), count(numWhole * perStep), count(perStep),
                                   accumulators);
    OpBuilder::InsertionGuard guard(builder());
    builder().setInsertionPointToStart(loop.getBody());
    stepValues.clear();
    Step step = stepAt(sum(first, loop.getInductionVar()), plan.pointsPerStep, perStep);
    Values next = emitStep(pass, step, Values(loop.getRegionIterArgs()));
    if (!accumulators.empty()) // A loop that carries nothing has its terminator.
      scf::YieldOp::create(builder(), next);
    accumulators = Values(loop.getResults());
  }
  if (int64_t left = numPoints - numWhole * perStep) {
    if (!plan.keepsPoints)
      stepValues.clear();
    Step step = stepAt(sum(first, count(numWhole * perStep)),
                       llvm::divideCeil(left, plan.cooperating), left);
    accumulators = emitStep(pass, step, accumulators);
  }
  return accumulators;
}

/// The points `first`, `first + cooperating`, ... of the thread, where `numLeft` points are left for all
/// threads together. Points past the last one stand for it, and count for nothing.
ThreadEmitter::Step ThreadEmitter::stepAt(Value first, unsigned numPoints, int64_t numLeft) {
  bool mayPassEnd = plan.pointsPerSplit() * plan.splits > plan.numPoints;
  Value begin = split ? scaled(split, plan.pointsPerSplit()) : Value();
  Step step;
  for (unsigned i = 0; i < numPoints; ++i) {
    Value point = sum(first, count(i * plan.cooperating)), isValid;
    if (mayPassEnd)
      isValid = isLess(point, count(plan.numPoints));
    if (int64_t(i + 1) * plan.cooperating > numLeft) {
      Value end = count(plan.numPoints);
      if (split && !mayPassEnd)
        end = sum(begin, count(plan.pointsPerSplit()));
      else if (split)
        isValid = both(isValid, isLess(point, sum(begin, count(plan.pointsPerSplit()))));
      if (!isValid)
        isValid = isLess(point, end);
    }
    if (isValid)
      point = select(isValid, point, count(plan.numPoints - 1));
    Value place = point;
    if (plan.tile && plan.tile->extent % ThreadTile::side != 0) {
      Value numLeft = arith::SubIOp::create(builder(), count(plan.tile->extent), tileStart);
      isValid = isLess(point, numLeft);
      point = select(isValid, point, count(0));
    }
    Values &offsets = step.offsets.emplace_back(unitOffsets);
    advance(offsets, plan.pointDims, point);
    if (plan.tile)
      for (unsigned operand : plan.tile->turned)
        offsets[operand] = sum(scaled(column, ThreadTile::pitch), place);
    step.isValid.push_back(isValid);
  }
  return step;
}

/// Everything is loaded, then computed, then stored, so that independent work is near. What an earlier
/// pass over the same points has found is still there.
ThreadEmitter::Values ThreadEmitter::emitStep(const UnitPass &pass, const Step &step,
                                              Values accumulators) {
  for (BlockArgument operand : pass.loads) {
    unsigned access = operand.getArgNumber();
    if (stepValues.contains(operand))
      continue;
    for (const Values &offsets : step.offsets)
      stepValues[operand].push_back(operands[access].load(*this, offsets[access]));
  }
  for (Operation *op : pass.computed) {
    if (stepValues.contains(op->getResult(0)))
      continue;
    Values vectors;
    for (unsigned i = 0; i < step.numPoints(); ++i)
      vectors.push_back(
          emitOp(op, step.offsets[i], [&](Value operand) { return valueOf(operand, i); }));
    stepValues[op->getResult(0)] = std::move(vectors);
  }
  for (auto [index, op] : llvm::enumerate(pass.reductions)) {
    for (unsigned i = 0; i < step.numPoints(); ++i) {
      Value vector = valueOf(op->getOperand(0), i);
      if (step.isValid[i])
        vector = arith::SelectOp::create(builder(), step.isValid[i], vector,
                                         cast<CombineOpInterface>(op).emitNeutral(*this));
      Value &accumulator = accumulators[index * plan.pointsPerStep + i];
      accumulator = combine(op, accumulator, vector);
    }
  }
  for (unsigned i = 0; i < step.numPoints() && !pass.results.empty(); ++i)
    emitIf(both(unitIsValid, step.isValid[i]), [&] {
      for (unsigned result : pass.results)
        results[result].store(*this, step.offsets[i][operands.size() + result],
                              valueOf(body.getTerminator()->getOperand(result), i));
    });
  return accumulators;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ThreadEmitter::valueOf(Value value, unsigned point) const {
  if (auto found = stepValues.find(value); found != stepValues.end())
    return found->second[point];
  return unitValues.find(value)->second;
}

Value ThreadEmitter::emitOp(Operation *op, const Values &offsets,
                            function_ref<Value(Value)> valueOfOperand) {
  Values arguments;
  for (Value operand : op->getOperands())
    arguments.push_back(valueOfOperand(operand));
  auto emitted = dyn_cast<EmitOpInterface>(op);
  if (!emitted) // A reduction of nothing.
    return arguments[0];
  isRoundedToBfloat = getElementTypeOrSelf(op->getResult(0)).isBF16();
  currentOp = op;
  currentOffsets = &offsets;
  bool wasComplete = isComplete();
  Value result = emitted.emit(*this, arguments);
  if (wasComplete && !isComplete())
    emitError(op->getLoc()) << op->getName() << " takes the function \"" << missingFunction()
                            << "\", which there is no code of for GPUs";
  return result;
}

/// A division of each element by a statistic of its row becomes a multiplication; LLVM makes the factors
/// once.
Value ThreadEmitter::div(Value x, Value y) {
  bool isOfPoint = currentOffsets != &unitOffsets;
  return isOfPoint && statistics.contains(y) ? mulByReciprocal(x, reciprocalOf(y))
                                             : GpuEmitter::div(x, y);
}

Value ThreadEmitter::position(int64_t dim) {
  ImplicitLocOpBuilder &b = builder();
  unsigned access = accessOfCounter.find({currentOp->getResult(0), dim})->second;
  Value first = (*currentOffsets)[access];
  if (plan.hasShortOffsets)
    first = arith::ExtSIOp::create(b, b.getI64Type(), first);
  VectorType type = vectorOf(b.getI64Type());
  SmallVector<int64_t> steps;
  for (int64_t lane = 0; lane < width(); ++lane)
    steps.push_back(lane * plan.laneStrides[access]);
  Value lanes =
      arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef<int64_t>(steps)));
  return arith::AddIOp::create(b, vector::BroadcastOp::create(b, type, first), lanes);
}
