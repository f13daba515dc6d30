// Operands of the contractions of an attention: rows of heads.
#ifndef SHEAF_PASSES_GRAPH_HEADS_H
#define SHEAF_PASSES_GRAPH_HEADS_H

#include "dialects/graph/primitive_builder.h"

namespace sheaf::graph {

/// `scale` times a tensor of heads, whose dims may lie in any order.
struct Heads {
  mlir::Value value;
  llvm::SmallVector<int64_t> batch; ///< dims of batch and heads: `[b, h]`, `[b h]` or none
  int64_t row;                      ///< the dim of queries or keys
  int64_t column;                   ///< the dim of a head's elements
  double scale = 1;

  /// An operand of a contraction with one free and one contracted dim, freed of constant factors and
  /// transposes.
  static Heads of(mlir::Value operand, llvm::ArrayRef<int64_t> batch, int64_t row, int64_t column);

  /// The tensor before its heads were repeated for the members of each group, in the same order of
  /// dims; null when they were not.
  mlir::Value beforeRepeat(PrimitiveBuilder &builder) const;
  /// The number of heads of a tensor in this order of dims.
  int64_t numHeads(mlir::Value tensor) const;

  /// A tensor in this order of dims as `[b, h, rows, columns]`; `b` and `h` split the batch dims, `h`
  /// being what is left after `b`.
  mlir::Value arranged(mlir::Value tensor, int64_t b, PrimitiveBuilder &builder) const;
};

} // namespace sheaf::graph

#endif
