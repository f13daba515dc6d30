// Emits units of work and the passes over each.
#include "passes/lowering/kernel/cluster_emitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

/// Whether NaNs of these values keep within the upper half of their f32 bits.
static bool onlyShortNans(Block &body) {
  auto isShort = [](Type type) {
    return getElementTypeOrSelf(type).isBF16() || !isa<FloatType>(getElementTypeOrSelf(type));
  };
  if (!llvm::all_of(body.getArgumentTypes(), isShort))
    return false;
  return llvm::all_of(body, [&](Operation &op) {
    auto constant = dyn_cast<graph::ConstantOp>(op);
    if (!constant || isShort(constant.getType()))
      return true;
    // Constants of clusters are splats.
    return !cast<SplatElementsAttr>(constant.getValue()).getSplatValue<APFloat>().isNaN();
  });
}

/// Whether all buffers that are contiguous along the lanes have types that go in pairs, and all others
/// repeat one element.
static bool goInPairs(ArrayRef<VectorMemory> buffers) {
  return llvm::all_of(buffers, [](const VectorMemory &buffer) {
    return buffer.laneStride == 0 ||
           (buffer.laneStride == 1 && VectorMemory::hasPairs(buffer.elementType));
  });
}

ClusterEmitter::ClusterEmitter(ImplicitLocOpBuilder &builder, HostFeatures features,
                               graph::ClusterOp cluster, const Schedule &schedule,
                               const PassPlan &plan, ArrayRef<VectorMemory> operands,
                               ArrayRef<VectorMemory> results)
    : HostEmitter(builder, features), body(*cluster.getBodyBlock()), schedule(schedule), plan(plan),
      operands(operands), results(results) {
  hasShortNans = onlyShortNans(body);
  pairsVectors = !schedule.tileExtent && schedule.counters.empty() && goInPairs(operands) &&
                 goInPairs(results);
  for (const Access &access : schedule.operands)
    accesses.push_back(&access);
  for (const Access &access : schedule.results)
    accesses.push_back(&access);
  for (const auto &[counter, access] : schedule.counters) {
    counterOf[counter] = accesses.size();
    accesses.push_back(&access);
  }
  for (Type type : plan.rowTypes)
    rows.push_back(LLVM::AllocaOp::create(builder, LLVM::LLVMPointerType::get(type.getContext()),
                                          type, constant(schedule.rowElements()),
                                          /*alignment=*/64));
}

SmallVector<int64_t> ClusterEmitter::stridesOf(unsigned dim) const {
  SmallVector<int64_t> strides;
  for (const Access *access : accesses)
    strides.push_back(access->strides[dim]);
  int64_t inScratch = 0;
  if (dim >= schedule.numUnitDims) {
    inScratch = 1;
    if (dim != schedule.laneDim())
      inScratch = llvm::alignTo(schedule.laneBlock, stepLanes);
    for (unsigned inner = dim + 1; inner < schedule.laneDim(); ++inner)
      inScratch *= schedule.extents[inner];
  }
  strides.push_back(inScratch);
  return strides;
}

/// What one step along the blocks' dim adds. Rows of scratch memory are of one block.
SmallVector<int64_t> ClusterEmitter::stridesOfBlockedDim() const {
  SmallVector<int64_t> strides;
  for (const Access *access : accesses)
    strides.push_back(schedule.tileExtent ? access->tileStride : access->strides.back());
  strides.push_back(0);
  return strides;
}

Value ClusterEmitter::scaled(Value index, int64_t factor) {
  if (factor == 1)
    return index;
  return arith::MulIOp::create(builder(), index, constant(factor));
}

Value ClusterEmitter::sum(Value x, Value y) { return arith::AddIOp::create(builder(), x, y); }

void ClusterEmitter::advance(Values &offsets, ArrayRef<int64_t> strides, Value index) {
  for (auto [offset, stride] : llvm::zip_equal(offsets, strides))
    if (stride != 0)
      offset = sum(offset, scaled(index, stride));
}

ClusterEmitter::Values ClusterEmitter::emitLoop(Value begin, Value end, int64_t step,
                                                Values carried,
                                                function_ref<Values(Value, Values)> emitBody) {
  ImplicitLocOpBuilder &b = builder();
  auto loop = scf::ForOp::create(b, begin, end, constant(step), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values next = emitBody(loop.getInductionVar(), Values(loop.getRegionIterArgs()));
  if (!carried.empty()) // A loop that carries nothing has its terminator.
    scf::YieldOp::create(b, next);
  return Values(loop.getResults());
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

void ClusterEmitter::emitUnits(Value begin, Value end) {
  emitLoop(begin, end, 1, {}, [&](Value unit, const Values &) {
    emitUnit(unit);
    return Values();
  });
}

void ClusterEmitter::emitUnit(Value unit) {
  ImplicitLocOpBuilder &b = builder();
  Values offsets(accesses.size() + 1, constant(0));
  auto takeInnermost = [&](int64_t extent) {
    Value index = arith::RemUIOp::create(b, unit, constant(extent));
    unit = arith::DivUIOp::create(b, unit, constant(extent));
    return index;
  };
  int64_t blockSize = schedule.tileExtent ? schedule.tileBlock : schedule.laneBlock;
  Value block;
  if (schedule.numBlocks() > 1) {
    block = takeInnermost(schedule.numBlocks());
    advance(offsets, stridesOfBlockedDim(), scaled(block, blockSize));
  }
  for (unsigned dim = schedule.numUnitDims; dim-- > 0;) {
    Value index = dim == 0 ? unit : takeInnermost(schedule.extents[dim]);
    advance(offsets, stridesOf(dim), index);
  }

  auto emitBlock = [&](int64_t size) {
    tileVectors = schedule.tileExtent ? size : 0;
    emitPasses(offsets, schedule.tileExtent ? schedule.numLanes() : size);
  };
  int64_t blocked = schedule.tileExtent ? schedule.tileExtent : schedule.numLanes();
  if (!block || blocked % blockSize == 0) {
    emitBlock(block ? blockSize : blocked);
    return;
  }
  Value isLast = compare(arith::CmpIPredicate::eq, block, constant(schedule.numBlocks() - 1));
  auto branch = scf::IfOp::create(b, isLast, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emitBlock(blocked % blockSize);
  b.setInsertionPointToStart(branch.elseBlock());
  emitBlock(blockSize);
}

void ClusterEmitter::emitPasses(const Values &offsets, int64_t numLanes) {
  vectorsOfUnit.clear();
  statistics.clear();
  Step step = unitStep(offsets, numLanes);
  for (const UnitPass &pass : plan.passes) {
    emitUnitValues(pass.unitValues, step);
    emitPass(pass, offsets, numLanes);
  }
  emitUnitValues(plan.lateUnitValues, step);
  storeUnitResults(step);
}

/// The vectors of values that are the same all through a unit: one, whose lanes are equal, where
/// passes walk over the lanes; else those of the unit's lanes.
ClusterEmitter::Step ClusterEmitter::unitStep(const Values &offsets, int64_t numLanes) {
  if (schedule.walksLanes)
    return {offsets, constant(0), 1, width()};
  unsigned numVectors = llvm::divideCeil(numLanes, width());
  return {offsets, constant(0), numVectors, numLanes - (numVectors - 1) * width()};
}

void ClusterEmitter::emitUnitValues(ArrayRef<Value> values, const Step &step) {
  for (Value value : values) {
    auto argument = dyn_cast<BlockArgument>(value);
    Values vectors = argument ? loadVectors(argument, step) : forEachVector(step, [&](unsigned i) {
      return emitOp(value.getDefiningOp(), step, i);
    });
    if (plan.statistics.contains(value))
      llvm::for_each(vectors, [&](Value vector) { noteStatistic(vector); });
    vectorsOfUnit[value] = std::move(vectors);
  }
}

void ClusterEmitter::storeUnitResults(const Step &step) {
  for (unsigned result : plan.unitResults) {
    Value value = body.getTerminator()->getOperand(result);
    if (schedule.walksLanes)
      results[result].store(*this, step.offsets[operands.size() + result], valueOf(value, 0),
                            /*numLanes=*/1);
    else
      storeVectors(result, step);
  }
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

void ClusterEmitter::emitPass(const UnitPass &pass, const Values &offsets, int64_t numLanes) {
  outermostLoop = nullptr;
  int64_t numVectors = llvm::divideCeil(numLanes, width());
  if (schedule.walksLanes)
    numVectors = std::clamp<int64_t>(numVectors, 1, stepVectors);
  Values accumulators;
  for (Operation *op : pass.reductions) {
    Value neutral = cast<CombineOpInterface>(op).emitNeutral(*this);
    accumulators.append(numVectors, neutral);
  }
  accumulators = emitLoops(pass, 0, offsets, numLanes, accumulators);
  outermostLoop = nullptr;
  vectorsOfStep.clear();
  finishReductions(pass, accumulators);
}

ClusterEmitter::Values ClusterEmitter::emitLoops(const UnitPass &pass, unsigned level,
                                                 const Values &offsets, int64_t numLanes,
                                                 Values accumulators) {
  ArrayRef<int64_t> extents = schedule.loopExtents();
  if (level == extents.size())
    return emitLanes(pass, offsets, numLanes, accumulators);
  SmallVector<int64_t> strides = stridesOf(schedule.numUnitDims + level);
  return emitLoop(constant(0), constant(extents[level]), 1, accumulators,
                  [&](Value index, Values carried) {
                    if (level == 0)
                      outermostLoop = builder().getBlock()->getParentOp();
                    Values inner = offsets;
                    advance(inner, strides, index);
                    return emitLoops(pass, level + 1, inner, numLanes, carried);
                  });
}

ClusterEmitter::Values ClusterEmitter::emitLanes(const UnitPass &pass, const Values &offsets,
                                                 int64_t numLanes, Values accumulators) {
  if (!schedule.walksLanes) {
    Step step = unitStep(offsets, numLanes);
    prefetchLoop(pass, step);
    return emitStep(pass, step, accumulators);
  }
  if (tileVectors) {
    emitTiles(pass, offsets, numLanes);
    return accumulators;
  }
  int64_t whole = numLanes / stepLanes * stepLanes;
  if (whole > stepLanes)
    accumulators = emitLaneLoop(whole, stepLanes, accumulators, [&](Value lane, Values carried) {
      Step step = {offsets, lane, stepVectors, width()};
      prefetchNextUnit(pass, step);
      return emitStep(pass, step, carried);
    });
  else if (whole > 0)
    accumulators = emitStep(pass, {offsets, constant(0), stepVectors, width()}, accumulators);
  if (int64_t rest = numLanes - whole) {
    unsigned numVectors = llvm::divideCeil(rest, width());
    int64_t lanesOfLast = rest - (numVectors - 1) * width();
    accumulators =
        emitStep(pass, {offsets, constant(whole), numVectors, lanesOfLast}, accumulators);
  }
  return accumulators;
}

/// Squares of vectors, as many next to each other as read and write whole lines of the cache.
void ClusterEmitter::emitTiles(const UnitPass &pass, const Values &offsets, int64_t numLanes) {
  auto emitLines = [&](Value begin, int64_t lanes) {
    for (int64_t first = 0; first < tileVectors; first += width()) {
      Values shifted = offsets;
      advance(shifted, stridesOfBlockedDim(), constant(first));
      unsigned numVectors = std::min(width(), tileVectors - first);
      SmallVector<Step> squares;
      for (int64_t lane = 0; lane < lanes; lane += width())
        squares.push_back(
            {shifted, sum(begin, constant(lane)), numVectors, std::min(width(), lanes - lane)});
      emitSquares(pass, squares);
    }
  };
  int64_t whole = numLanes / schedule.tileLanes * schedule.tileLanes;
  if (whole > 0)
    emitLaneLoop(whole, schedule.tileLanes, {}, [&](Value lane, Values) {
      prefetchTile(pass, offsets, lane);
      emitLines(lane, schedule.tileLanes);
      return Values();
    });
  if (whole < numLanes)
    emitLines(constant(whole), numLanes - whole);
}

/// A loop over the lanes of a pass, the outermost one if there is no other.
ClusterEmitter::Values ClusterEmitter::emitLaneLoop(int64_t end, int64_t step, Values carried,
                                                    function_ref<Values(Value, Values)> emitBody) {
  bool isOutermost = !outermostLoop;
  carried = emitLoop(constant(0), constant(end), step, carried, [&](Value lane, Values inner) {
    if (isOutermost)
      outermostLoop = builder().getBlock()->getParentOp();
    return emitBody(lane, inner);
  });
  if (isOutermost)
    outermostLoop = nullptr;
  return carried;
}

void ClusterEmitter::finishReductions(const UnitPass &pass, Values accumulators) {
  unsigned perReduction =
      pass.reductions.empty() ? 0 : accumulators.size() / pass.reductions.size();
  for (auto [index, op] : llvm::enumerate(pass.reductions)) {
    Values vectors(ArrayRef(accumulators).slice(index * perReduction, perReduction));
    if (schedule.reducesLanes) {
      auto reduction = cast<CombineOpInterface>(op);
      while (vectors.size() > 1) {
        Values halves;
        for (unsigned i = 0; i + 1 < vectors.size(); i += 2)
          halves.push_back(reduction.emitCombined(*this, vectors[i], vectors[i + 1]));
        if (vectors.size() % 2)
          halves.push_back(vectors.back());
        vectors = std::move(halves);
      }
      vectors[0] = combineLanes(op, vectors[0]);
    }
    if (plan.statistics.contains(op->getResult(0)))
      for (Value vector : vectors)
        noteStatistic(vector);
    vectorsOfUnit[op->getResult(0)] = std::move(vectors);
  }
}

/// Every lane becomes the combination of all: log2(width) exchanges with the lane `distance` away.
Value ClusterEmitter::combineLanes(Operation *reduction, Value vector) {
  auto combine = cast<CombineOpInterface>(reduction);
  for (int64_t distance = width() / 2; distance > 0; distance /= 2) {
    SmallVector<int64_t> partners;
    for (int64_t lane = 0; lane < width(); ++lane)
      partners.push_back(lane ^ distance);
    Value exchanged = vector::ShuffleOp::create(builder(), vector, vector, partners);
    vector = combine.emitCombined(*this, vector, exchanged);
  }
  return vector;
}
