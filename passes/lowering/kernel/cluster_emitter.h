// Emits the body of a kernel: loops over units, passes and vectors, and a cluster's ops within.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_CLUSTER_EMITTER_H
#define SHEAF_PASSES_LOWERING_KERNEL_CLUSTER_EMITTER_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/lowering/kernel/host_emitter.h"
#include "passes/lowering/kernel/pass_plan.h"
#include "passes/lowering/kernel/vector_memory.h"

namespace sheaf::lowering {

/// Emits at the builder's place. Everything is addressed by offsets: of the operands, then of the
/// results, then the counts of counted dims, then the place in rows of scratch memory.
class ClusterEmitter : public HostEmitter {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  ClusterEmitter(mlir::ImplicitLocOpBuilder &builder, HostFeatures features,
                 graph::ClusterOp cluster, const Schedule &schedule, const PassPlan &plan,
                 llvm::ArrayRef<VectorMemory> operands, llvm::ArrayRef<VectorMemory> results);

  /// Emits the loop over the units [begin, end).
  void emitUnits(mlir::Value begin, mlir::Value end);

  mlir::Value div(mlir::Value x, mlir::Value y) override;
  mlir::Value position(int64_t dim) override;

private:
  /// Vectors next to each other, along the lanes or along the tile dim.
  struct Step {
    llvm::ArrayRef<mlir::Value> offsets;
    mlir::Value lane; // of the first vector, counted from the offsets
    unsigned numVectors;
    int64_t numLanes; // of the last vector; along the tile dim, of each
  };
  int64_t lanesOf(const Step &step, unsigned vector) const;
  /// Where vector `vector` of a step begins in a buffer or count.
  mlir::Value offsetOf(const Step &step, unsigned access, unsigned vector);
  /// What one step along a dim adds to each of the offsets.
  llvm::SmallVector<int64_t> stridesOf(unsigned dim) const;
  llvm::SmallVector<int64_t> stridesOfBlockedDim() const;
  void advance(Values &offsets, llvm::ArrayRef<int64_t> strides, mlir::Value index);
  mlir::Value scaled(mlir::Value index, int64_t factor);
  mlir::Value sum(mlir::Value x, mlir::Value y);

  void emitUnit(mlir::Value unit);
  /// A unit of `numLanes` lanes.
  void emitPasses(const Values &offsets, int64_t numLanes);
  void emitUnitValues(llvm::ArrayRef<mlir::Value> values, const Step &step);
  void emitPass(const UnitPass &pass, const Values &offsets, int64_t numLanes);
  /// Loops from `level` on; takes and returns the accumulators.
  Values emitLoops(const UnitPass &pass, unsigned level, const Values &offsets, int64_t numLanes,
                   Values accumulators);
  Values emitLanes(const UnitPass &pass, const Values &offsets, int64_t numLanes,
                   Values accumulators);
  void emitTiles(const UnitPass &pass, const Values &offsets, int64_t numLanes);
  Values emitLaneLoop(int64_t end, int64_t step, Values carried,
                      llvm::function_ref<Values(mlir::Value, Values)> emitBody);
  Values emitStep(const UnitPass &pass, const Step &step, Values accumulators);
  /// Sets the vectors of the step's values.
  void computeStep(const UnitPass &pass, const Step &step);
  void emitSquares(const UnitPass &pass, llvm::ArrayRef<Step> squares);
  void finishReductions(const UnitPass &pass, Values accumulators);
  mlir::Value combineLanes(mlir::Operation *reduction, mlir::Value vector);
  void storeUnitResults(const Step &step);

  mlir::Value loadOperand(mlir::BlockArgument operand, const Step &step, unsigned vector);
  mlir::Value emitOp(mlir::Operation *op, const Step &step, unsigned vector);
  mlir::Value valueOf(mlir::Value value, unsigned vector) const;
  Values loadVectors(mlir::BlockArgument operand, const Step &step);
  void storeVectors(unsigned result, const Step &step);
  void storeVector(unsigned result, const Step &step, unsigned vector);
  /// Whether the vectors of a step hold the elements of even and odd places by turns.
  bool isPaired(const Step &step) const;
  /// Asks for operands that `pass` reads some loop iterations from now.
  void prefetchLoop(const UnitPass &pass, const Step &step);
  /// Asks for the same lanes of the next unit, while this one is computed.
  void prefetchNextUnit(const UnitPass &pass, const Step &step);
  /// Asks for the squares after those at `lane`.
  void prefetchTile(const UnitPass &pass, const Values &offsets, mlir::Value lane);
  void prefetchLines(unsigned operand, mlir::Value offset, int64_t numLanes);
  /// Whether no earlier pass reads the operand, which is large and contiguous along the lanes.
  bool isReadFromMemory(const UnitPass &pass, mlir::BlockArgument operand) const;
  Values forEachVector(const Step &step, llvm::function_ref<mlir::Value(unsigned)> emitVector);
  void accumulate(const UnitPass &pass, const Step &step, Values &accumulators);
  void noteStatistic(mlir::Value vector);
  VectorMemory rowOf(mlir::Value saved) const;
  mlir::Value scratchOffset(const Step &step, unsigned vector);
  Step unitStep(const Values &offsets, int64_t numLanes);
  /// `scf.for` from 0; `emitBody` gets the index and the carried values and returns the next ones.
  Values emitLoop(mlir::Value begin, mlir::Value end, int64_t step, Values carried,
                  llvm::function_ref<Values(mlir::Value, Values)> emitBody);

  mlir::Block &body;
  bool pairsVectors;
  const Schedule &schedule;
  const PassPlan &plan;
  llvm::SmallVector<VectorMemory> operands, results;
  llvm::SmallVector<mlir::Value> rows;        // scratch memory
  llvm::SmallVector<const Access *> accesses; // in the order of the offsets, without scratch
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, unsigned> counterOf; // into the offsets

  // The vectors of each value in the present unit, and in the present step.
  llvm::DenseMap<mlir::Value, Values> vectorsOfUnit, vectorsOfStep;
  // f32 vectors that depend on a sum, and what replaces a division by them.
  llvm::DenseMap<mlir::Value, std::optional<Reciprocal>> statistics;
  mlir::Operation *outermostLoop = nullptr; // of the present pass
  int64_t tileVectors = 0;                  // of the present unit, along the tile dim
  const Step *currentStep = nullptr;
  mlir::Operation *currentOp = nullptr;
  unsigned currentVector = 0;
};

} // namespace sheaf::lowering

#endif
