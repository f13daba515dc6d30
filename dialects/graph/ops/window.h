// Windows that slide over space: the arithmetic that convolution and pooling share.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_WINDOW_H
#define SHEAF_DIALECTS_GRAPH_OPS_WINDOW_H

#include "dialects/support/operand_window.h"
#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include <optional>

namespace sheaf::graph {

/// How a window moves: one entry per spatial dim in each list.
struct Window {
  llvm::ArrayRef<int64_t> extents;
  llvm::ArrayRef<int64_t> strides;
  llvm::ArrayRef<int64_t> paddingLow;
  llvm::ArrayRef<int64_t> paddingHigh;
  llvm::ArrayRef<int64_t> dilations;

  /// Every list has `numDims` entries; extents, strides and dilations are positive.
  llvm::LogicalResult check(std::optional<mlir::Location> location, int64_t numDims) const;

  /// The distance from the first to past the last element that a place sees along a dim.
  int64_t reach(int64_t dim) const { return dilations[dim] * (extents[dim] - 1) + 1; }

  /// How many places the window has over `space`; at most 0 along a dim where it does not fit.
  /// Requires a checked window.
  llvm::SmallVector<int64_t> places(llvm::ArrayRef<int64_t> space) const;

  /// Whether each place sees the element at the same place only.
  bool isIdentity(int64_t dim) const;

  /// How `numPlaces` places see the operand.
  DimWindow seen(int64_t dim, int64_t numPlaces) const;
  /// Which places see each of `space` elements of the operand: what the gradient reads.
  DimWindow seeing(int64_t dim, int64_t space) const;
};

} // namespace sheaf::graph

#endif
