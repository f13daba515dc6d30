// Values read through what exporters wrap around them: broadcasts, unit dims and constants.
#ifndef SHEAF_PASSES_GRAPH_VIEW_H
#define SHEAF_PASSES_GRAPH_VIEW_H

#include "dialects/graph/graph.h"
#include "dialects/graph/primitive_builder.h"

namespace sheaf::graph {

/// A value as seen from the dims of a larger tensor, its frame, into which it is repeated.
///
/// `dims[i]` is the dim of the frame along which dim `i` of the value runs, -1 where its extent is 1.
/// Dims of the frame that are not listed repeat the value.
struct View {
  mlir::Value value;
  llvm::SmallVector<int64_t> dims;
  mlir::RankedTensorType frame;

  /// A value in its own frame.
  explicit View(mlir::Value value);
  /// An operand of an elementwise op that defines the value.
  View ofOperand(mlir::Value operand) const;
  /// The same without broadcasts and reshapes that only add or take unit dims.
  View peeled() const;
  /// Whether both repeat the same value in the same way.
  bool operator==(const View &other) const;

  /// The value peeled, as a tensor of the dims `axis..` of the frame; null when it also varies along
  /// dims before them.
  mlir::Value from(int64_t axis, PrimitiveBuilder &builder) const;
  /// The value peeled, with the rank of the frame and extents 1 where it is repeated.
  mlir::Value unrepeated(PrimitiveBuilder &builder) const;
};

/// The value of a constant that is the same everywhere, through broadcasts, reshapes and casts.
std::optional<double> splatOf(mlir::Value value);

/// Whether `value` is `expected` but for the rounding to the element type of `like`.
bool isRounded(double value, double expected, mlir::Value like);
/// Whether `value` is a constant that is `expected` everywhere, but for rounding.
bool isSplat(mlir::Value value, double expected);

/// A reduction over dims of `x`.
struct Reduction {
  mlir::Value x;
  llvm::SmallVector<int64_t> dims;
};
/// The reduction of a tensor of the frame's shape that the view repeats over the reduced dims.
std::optional<Reduction> reductionOf(const View &view, ReduceKind kind);
/// The same for the mean: a sum divided by the number of elements.
std::optional<Reduction> meanOf(const View &view);

} // namespace sheaf::graph

#endif
