// Emits what a thread does of a cluster.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_GPU_THREAD_EMITTER_H
#define SHEAF_PASSES_LOWERING_KERNEL_GPU_THREAD_EMITTER_H

#include "passes/lowering/kernel/gpu/device_memory.h"
#include "passes/lowering/kernel/gpu/gpu_emitter.h"
#include "passes/lowering/kernel/gpu/thread_plan.h"
#include "passes/lowering/kernel/pass_plan.h"

namespace sheaf::lowering {

/// Memory that the threads of a kernel meet in; null where it needs none.
struct MeetingPlaces {
  mlir::Value shared;   ///< of a block
  mlir::Value partials; ///< of all blocks: parts of reductions, of `ThreadPlan::splits`
  mlir::Value counters; ///< of all blocks: how many have left their parts, per block of units
};

/// Bytes of the meeting places that a cluster needs.
struct MeetingBytes {
  int64_t shared = 0, partials = 0, counters = 0;

  /// `operandBytes` has the bytes of an element of each operand.
  static MeetingBytes of(const ThreadPlan &plan, const PassPlan &passes,
                         llvm::ArrayRef<int64_t> operandBytes);
};

/// Emits at the builder's place, for the width of its vectors.
class ThreadEmitter : public GpuEmitter {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  ThreadEmitter(mlir::ImplicitLocOpBuilder &builder, int64_t width, graph::ClusterOp cluster,
                const ThreadPlan &plan, const PassPlan &passes,
                llvm::ArrayRef<DeviceMemory> operands, llvm::ArrayRef<DeviceMemory> results,
                llvm::ArrayRef<std::pair<mlir::Value, int64_t>> counted, MeetingPlaces places);

  /// Emits the work of thread `thread` of block `block`, both i32.
  void emitThread(mlir::Value block, mlir::Value thread);
  /// Whether all ops had code; each that had none has given an error.
  bool isComplete() const { return missingFunction().empty(); }
  /// Emits the unit that begins at element `element` of the lane dim, which is the only dim.
  void emitElement(mlir::Value element);

  mlir::Value div(mlir::Value x, mlir::Value y) override;
  mlir::Value position(int64_t dim) override;

  // Scalars that count and address, of the plan's width.
  mlir::Type countType();
  mlir::Value count(int64_t value);
  mlir::Value counted(mlir::Value word);
  mlir::Value sum(mlir::Value x, mlir::Value y);
  mlir::Value scaled(mlir::Value x, int64_t factor);
  mlir::Value isLess(mlir::Value x, mlir::Value y);

private:
  /// Some points of a unit, and which of them there are; a null entry is there always.
  struct Step {
    llvm::SmallVector<Values> offsets; // per point, of each access
    Values isValid;                    // per point
    unsigned numPoints() const { return offsets.size(); }
  };

  void placeThread(mlir::Value block, mlir::Value thread);
  void emitUnit();
  /// Finds the thread's place in the tile, and turns what lies across (thread_tile.cpp).
  void enterTile();
  void emitUnitValues(llvm::ArrayRef<mlir::Value> values);
  void setUnitValue(mlir::Value value, mlir::Value vector);
  void storeUnitResults();
  void emitPass(const UnitPass &pass);
  Values emitPoints(const UnitPass &pass, Values accumulators);
  Step stepAt(mlir::Value first, unsigned numPoints, int64_t numLeft);
  Values emitStep(const UnitPass &pass, const Step &step, Values accumulators);
  mlir::Value valueOf(mlir::Value value, unsigned point) const;
  mlir::Value emitOp(mlir::Operation *op, const Values &offsets,
                     llvm::function_ref<mlir::Value(mlir::Value)> valueOfOperand);
  void advance(Values &offsets, llvm::ArrayRef<ThreadDim> dims, mlir::Value index);
  /// Emits `body` where `condition` holds; everywhere when it is null.
  void emitIf(mlir::Value condition, llvm::function_ref<void()> body);
  mlir::Value both(mlir::Value x, mlir::Value y);

  // Reductions among the threads of a unit (thread_reduction.cpp).
  void finishReductions(const UnitPass &pass, Values accumulators);
  mlir::Value combine(mlir::Operation *reduction, mlir::Value x, mlir::Value y);
  mlir::Value combinePoints(mlir::Operation *reduction, Values vectors);
  /// Every lane becomes the combination of all.
  mlir::Value combineLanes(mlir::Operation *reduction, mlir::Value vector);
  /// Of as many neighbouring threads of a warp, given vectors with equal lanes.
  mlir::Value combineWarp(mlir::Operation *reduction, mlir::Value vector, int64_t numThreads);
  /// All threads of a unit get the combination of their vectors.
  Values combineThreads(llvm::ArrayRef<mlir::Operation *> reductions, Values vectors);
  /// As combineThreads, for blocks that share units: only the threads of the last block to arrive get
  /// it, and code emitted from here on is theirs alone.
  Values combineBlocks(llvm::ArrayRef<mlir::Operation *> reductions, Values vectors);
  mlir::Value arrive();
  void barrier();
  void fence();
  DeviceMemory meetingMemory(mlir::Value place, mlir::Operation *reduction, int64_t byteOffset);
  int64_t takeShared(mlir::Operation *reduction, int64_t numVectors);

  mlir::Block &body;
  const ThreadPlan &plan;
  const PassPlan &passes;
  llvm::SmallVector<DeviceMemory> operands, results;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, unsigned> accessOfCounter;
  MeetingPlaces places;
  int64_t sharedTaken = 0, partialsTaken = 0;

  mlir::Value thread, unitBlock, split; // scalars; `split` is null when units are not shared
  mlir::Value unit, member;             // counts: of the unit, and of the thread among those on it
  mlir::Value column;                   // a count: of the unit among those of the block
  mlir::Value tileStart;            // a count: of the first place along the other dim of the tile
  mlir::Value unitIsValid, isFirst; // null: always
  Values unitOffsets;
  llvm::DenseMap<mlir::Value, mlir::Value> unitValues;
  llvm::DenseMap<mlir::Value, Values> stepValues;
  llvm::DenseSet<mlir::Value> statistics; // f32 vectors of a unit that depend on a sum
  mlir::Operation *currentOp = nullptr;
  const Values *currentOffsets = nullptr;
};

} // namespace sheaf::lowering

#endif
