// Combines what threads have accumulated: of a thread, a warp, a block, and of all blocks. Always in the
// same order, so that results are the same from run to run.
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lowering/kernel/gpu/thread_emitter.h"
#include "passes/lowering/kernel/stored_type.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;
using arith::CmpIPredicate;

/// What a reduction combines, in registers.
static Type combinedTypeOf(Operation *reduction) {
  return Emitter::computeTypeOf(getElementTypeOrSelf(reduction->getOperand(0)));
}

static int64_t alignedBytes(int64_t bytes) { return llvm::alignTo(bytes, 16); }

//===----------------------------------------------------------------------===//
// Where threads meet
//===----------------------------------------------------------------------===//

/// Vectors that the threads of a block leave in shared memory for one reduction.
static int64_t numSharedVectors(const ThreadPlan &plan) {
  return plan.reducesLanes ? plan.warpsPerUnit() * plan.columns : plan.blockThreads();
}

/// Elements of a vector in a meeting place: where reductions combine lanes, one is left.
static int64_t meetingWidth(const ThreadPlan &plan) { return plan.reducesLanes ? 1 : plan.width; }

static bool meetInShared(const ThreadPlan &plan) {
  return plan.reducesLanes ? plan.cooperating > warpThreads : plan.cooperating > 1;
}

MeetingBytes MeetingBytes::of(const ThreadPlan &plan, const PassPlan &passes,
                              ArrayRef<int64_t> operandBytes) {
  MeetingBytes bytes;
  if (plan.tile)
    for (unsigned operand : plan.tile->turned)
      bytes.shared += alignedBytes(ThreadTile::side * ThreadTile::pitch * operandBytes[operand]);
  for (const UnitPass &pass : passes.passes)
    for (Operation *reduction : pass.reductions) {
      int64_t vectorBytes = storedBytesOf(combinedTypeOf(reduction)) * meetingWidth(plan);
      int64_t ofBlock = alignedBytes(numSharedVectors(plan) * vectorBytes);
      if (meetInShared(plan)) // A second time for the parts of blocks.
        bytes.shared += plan.splits > 1 ? 2 * ofBlock : ofBlock;
      if (plan.splits > 1)
        bytes.partials += alignedBytes(plan.splits * plan.numUnits * vectorBytes);
    }
  if (plan.splits > 1) {
    bytes.shared += 16; // whether the block is the last one
    bytes.counters = 4 * plan.unitBlocks();
  }
  return bytes;
}

DeviceMemory ThreadEmitter::meetingMemory(Value place, Operation *reduction, int64_t byteOffset) {
  Value base = LLVM::GEPOp::create(builder(), place.getType(), builder().getI8Type(), place,
                                   ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(byteOffset)});
  Type type = combinedTypeOf(reduction);
  return {base, type, /*laneStride=*/1,
          std::min<int64_t>(16, storedBytesOf(type) * meetingWidth(plan)), /*isConstant=*/false};
}

int64_t ThreadEmitter::takeShared(Operation *reduction, int64_t numVectors) {
  int64_t offset = sharedTaken;
  sharedTaken +=
      alignedBytes(numVectors * storedBytesOf(combinedTypeOf(reduction)) * meetingWidth(plan));
  return offset;
}

void ThreadEmitter::barrier() {
  voidIntrinsic("llvm.nvvm.barrier.cta.sync.aligned.all", {word(0)});
}

void ThreadEmitter::fence() {
  LLVM::FenceOp::create(builder(), LLVM::AtomicOrdering::acq_rel, "device");
}

//===----------------------------------------------------------------------===//
// Combining
//===----------------------------------------------------------------------===//

Value ThreadEmitter::combine(Operation *reduction, Value x, Value y) {
  return cast<CombineOpInterface>(reduction).emitCombined(*this, x, y);
}

Value ThreadEmitter::combinePoints(Operation *reduction, Values vectors) {
  while (vectors.size() > 1) {
    Values halves;
    for (unsigned i = 0; i + 1 < vectors.size(); i += 2)
      halves.push_back(combine(reduction, vectors[i], vectors[i + 1]));
    if (vectors.size() % 2)
      halves.push_back(vectors.back());
    vectors = std::move(halves);
  }
  return vectors[0];
}

Value ThreadEmitter::combineLanes(Operation *reduction, Value vector) {
  for (int64_t distance = width() / 2; distance > 0; distance /= 2) {
    SmallVector<int64_t> partners;
    for (int64_t lane = 0; lane < width(); ++lane)
      partners.push_back(lane ^ distance);
    Value other = vector::ShuffleOp::create(builder(), vector, vector, partners);
    vector = combine(reduction, vector, other);
  }
  return vector;
}

Value ThreadEmitter::combineWarp(Operation *reduction, Value vector, int64_t numThreads) {
  for (int64_t distance = numThreads / 2; distance > 0; distance /= 2) {
    Value scalar = vector::ExtractOp::create(builder(), vector, int64_t(0));
    Value other =
        vector::BroadcastOp::create(builder(), vector.getType(), exchange(scalar, distance));
    vector = combine(reduction, vector, other);
  }
  return vector;
}

void ThreadEmitter::finishReductions(const UnitPass &pass, Values accumulators) {
  if (pass.reductions.empty())
    return;
  Values vectors;
  for (auto [index, op] : llvm::enumerate(pass.reductions)) {
    ArrayRef<Value> ofOp =
        ArrayRef(accumulators).slice(index * plan.pointsPerStep, plan.pointsPerStep);
    Value vector = combinePoints(op, Values(ofOp));
    vectors.push_back(plan.reducesLanes ? combineLanes(op, vector) : vector);
  }
  vectors = combineThreads(pass.reductions, vectors);
  if (split)
    vectors = combineBlocks(pass.reductions, vectors);
  for (auto [op, vector] : llvm::zip_equal(pass.reductions, vectors))
    setUnitValue(op->getResult(0), vector);
}

ThreadEmitter::Values ThreadEmitter::combineThreads(ArrayRef<Operation *> reductions,
                                                    Values vectors) {
  int64_t inWarp = std::min(plan.cooperating, warpThreads);
  if (plan.reducesLanes)
    for (auto [op, vector] : llvm::zip_equal(reductions, vectors))
      vector = combineWarp(op, vector, inWarp);
  if (!meetInShared(plan))
    return vectors;

  // Of a row, each warp leaves one element; of columns, each thread its vector.
  SmallVector<DeviceMemory> left;
  for (Operation *op : reductions)
    left.push_back(meetingMemory(places.shared, op, takeShared(op, numSharedVectors(plan))));
  Value number = counted(thread);
  if (plan.reducesLanes) {
    Value warp = arith::DivUIOp::create(builder(), number, count(warpThreads));
    Value ofWarp = arith::RemUIOp::create(builder(), number, count(warpThreads));
    emitIf(compare(CmpIPredicate::eq, ofWarp, count(0)), [&] {
      for (auto [memory, vector] : llvm::zip_equal(left, vectors))
        memory.storeElement(*this, warp, vector::ExtractOp::create(builder(), vector, int64_t(0)));
    });
    barrier();
    Value other = arith::RemUIOp::create(builder(), ofWarp, count(plan.warpsPerUnit()));
    for (auto [op, memory, vector] : llvm::zip_equal(reductions, left, vectors)) {
      vector = vector::BroadcastOp::create(builder(), vector.getType(),
                                           memory.loadElement(*this, other));
      vector = combineWarp(op, vector, plan.warpsPerUnit());
    }
    return vectors;
  }
  for (auto [memory, vector] : llvm::zip_equal(left, vectors))
    memory.store(*this, scaled(number, width()), vector);
  barrier();
  Value column = arith::RemUIOp::create(builder(), number, count(plan.columns));
  for (auto [op, memory, vector] : llvm::zip_equal(reductions, left, vectors)) {
    Values parts;
    for (int64_t i = 0; i < plan.cooperating; ++i)
      parts.push_back(memory.load(*this, scaled(sum(column, count(i * plan.columns)), width())));
    vector = combinePoints(op, parts);
  }
  return vectors;
}

/// Whether this block is the last one of its units to arrive. The count is left at zero for the next
/// launch.
///
/// One thread speaks for its block: what others have left is ordered before its first fence by the barrier, and what
/// they read behind its second one, as PTX's causality order has it (PTX ISA, "Memory Consistency Model"); so fences
/// stand between the barriers and the count.
Value ThreadEmitter::arrive() {
  ImplicitLocOpBuilder &b = builder();
  Value flag = LLVM::GEPOp::create(b, places.shared.getType(), b.getI8Type(), places.shared,
                                   ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(sharedTaken)});
  sharedTaken += 16;
  barrier();
  emitIf(compare(CmpIPredicate::eq, thread, word(0)), [&] {
    fence();
    Value counter = LLVM::GEPOp::create(b, places.counters.getType(), b.getI32Type(),
                                        places.counters, ArrayRef<LLVM::GEPArg>{unitBlock});
    Value before = LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::add, counter, word(1),
                                             LLVM::AtomicOrdering::monotonic, "device");
    fence();
    Value isLast = compare(CmpIPredicate::eq, before, word(plan.splits - 1));
    LLVM::StoreOp::create(b, arith::ExtUIOp::create(b, b.getI32Type(), isLast), flag, 4);
    emitIf(isLast, [&] { LLVM::StoreOp::create(b, word(0), counter, 4); });
  });
  barrier();
  Value isLast =
      compare(CmpIPredicate::ne, LLVM::LoadOp::create(b, b.getI32Type(), flag, 4), word(0));
  return isLast;
}

ThreadEmitter::Values ThreadEmitter::combineBlocks(ArrayRef<Operation *> reductions,
                                                   Values vectors) {
  int64_t step = meetingWidth(plan);
  auto placeOf = [&](Value ofSplit) {
    return scaled(sum(scaled(ofSplit, plan.numUnits), unit), step);
  };
  SmallVector<DeviceMemory> left;
  for (Operation *op : reductions) {
    left.push_back(meetingMemory(places.partials, op, partialsTaken));
    partialsTaken +=
        alignedBytes(plan.splits * plan.numUnits * step * storedBytesOf(combinedTypeOf(op)));
  }
  auto store = [&](const DeviceMemory &memory, Value vector) {
    if (plan.reducesLanes)
      memory.storeElement(*this, placeOf(split),
                          vector::ExtractOp::create(builder(), vector, int64_t(0)));
    else
      memory.store(*this, placeOf(split), vector);
  };
  emitIf(both(unitIsValid, isFirst), [&] {
    for (auto [memory, vector] : llvm::zip_equal(left, vectors))
      store(memory, vector);
  });

  // From here on only the last block is at work, to the end of the kernel.
  auto branch = scf::IfOp::create(builder(), arrive());
  builder().setInsertionPointToStart(branch.thenBlock());
  Values totals;
  for (auto [op, memory] : llvm::zip_equal(reductions, left)) {
    Values parts;
    for (int64_t i = 0, end = llvm::divideCeil(plan.splits, plan.cooperating); i < end; ++i) {
      Value other = sum(member, count(i * plan.cooperating));
      bool isThere = (i + 1) * plan.cooperating <= plan.splits;
      Value isValid = isThere ? Value() : isLess(other, count(plan.splits));
      if (isValid)
        other = select(isValid, other, count(0));
      Value part = plan.reducesLanes
                       ? vector::BroadcastOp::create(builder(), vectorOf(combinedTypeOf(op)),
                                                     memory.loadElement(*this, placeOf(other)))
                       : memory.load(*this, placeOf(other));
      if (isValid)
        part = arith::SelectOp::create(builder(), isValid, part,
                                       cast<CombineOpInterface>(op).emitNeutral(*this));
      parts.push_back(part);
    }
    totals.push_back(combinePoints(op, parts));
  }
  return combineThreads(reductions, totals);
}
