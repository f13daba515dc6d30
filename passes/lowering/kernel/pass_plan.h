// In which pass over a unit each value of a cluster is computed.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_PASS_PLAN_H
#define SHEAF_PASSES_LOWERING_KERNEL_PASS_PLAN_H

#include "dialects/graph/graph.h"
#include "dialects/interfaces/iteration_space.h"
#include "passes/lowering/kernel/op_profile.h"

namespace sheaf::lowering {

/// What passes walk over.
struct PassWalk {
  /// Factors of the space that vary within a unit.
  llvm::BitVector varying;
  /// Whether neighbours follow each other in a pass: then loading an operand again is cheap.
  bool loadsInRuns = true;
  /// Elements of a row of scratch memory; 0: there is none, and nothing is saved.
  int64_t rowElements = 0;
};

/// One walk over the elements of a unit. Lists are in the order of the body.
struct UnitPass {
  /// Values that are the same all through the walk, first needed by this pass.
  llvm::SmallVector<mlir::Value> unitValues;
  /// Operands that are read.
  llvm::SmallVector<mlir::BlockArgument> loads;
  /// Values that an earlier pass saved, read back.
  llvm::SmallVector<mlir::Value> restored;
  /// Ops that are computed at each element.
  llvm::SmallVector<mlir::Operation *> computed;
  /// Reductions of what is computed.
  llvm::SmallVector<mlir::Operation *> reductions;
  /// Results that are written, and values saved for later passes.
  llvm::SmallVector<unsigned> results;
  llvm::SmallVector<mlir::Value> saved;
};

/// Each reduction needs a pass of its own unless it is independent of the others; what depends on
/// its result comes in a later pass. Values of earlier passes are computed again where that is
/// cheap, and else kept in rows of scratch memory.
struct PassPlan {
  llvm::SmallVector<UnitPass, 2> passes;
  /// Values that are the same all through a unit, written after the last pass, and those they need.
  llvm::SmallVector<mlir::Value> lateUnitValues;
  llvm::SmallVector<unsigned> unitResults;
  /// The row of scratch memory of each saved value; the compute type of each row.
  llvm::DenseMap<mlir::Value, unsigned> rowOf;
  llvm::SmallVector<mlir::Type> rowTypes;

  /// The values that depend on a sum of many elements, and so carry its rounding errors. A maximum is
  /// exact, and what is computed from it may be rounded to integers: not among them.
  llvm::DenseSet<mlir::Value> statistics;

  static PassPlan of(graph::ClusterOp cluster, const IterationSpace &space, const PassWalk &walk,
                     const llvm::DenseMap<mlir::Operation *, OpProfile> &profiles);

  /// The last pass that reads `operand`; none when no pass does.
  std::optional<unsigned> lastReadOf(mlir::BlockArgument operand) const;
};

/// Whether `op` combines nothing: the reduced dims have extent 1.
bool isTrivialReduction(mlir::Operation *op, const IterationSpace &space);

} // namespace sheaf::lowering

#endif
