// The space a cluster walks: which dims of which values are one dim of it.
#ifndef SHEAF_DIALECTS_INTERFACES_ITERATION_SPACE_H
#define SHEAF_DIALECTS_INTERFACES_ITERATION_SPACE_H

#include "dialects/interfaces/dim_aligner.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

namespace sheaf {

/// The common refinement of the shapes of a group of ops.
///
/// Its factors are extents larger or smaller than 1, outermost first. Every dim of every value is a
/// run of factors, row-major; a value without a factor is the same along it. Values keep the order
/// of the factors, so a value is told by the set of its factors: shapes within the group are only
/// groupings of them.
struct IterationSpace {
  llvm::SmallVector<int64_t> extents;
  /// Factors over which reductions combine; all reductions of a space share them.
  llvm::BitVector reduced;
  /// Per value the factors of each dim.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<llvm::SmallVector<unsigned, 2>>> dims;

  /// The space of `ops`, which emit or combine, with `values` of no use in them.
  /// Fails when the shapes have no common refinement, when no value spans it, or when reductions
  /// are over different factors: the ops can't be one cluster.
  static mlir::FailureOr<IterationSpace> of(mlir::ArrayRef<mlir::Operation *> ops,
                                            mlir::ValueRange values = {});

  unsigned numFactors() const { return extents.size(); }
  bool hasReduction() const { return reduced.any(); }
  /// The factors of `value`.
  llvm::BitVector factorsOf(mlir::Value value) const;
  /// The product of all extents.
  int64_t numPoints() const;
};

} // namespace sheaf

#endif
