// Indices into dims of which a rank holds a part.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_LOCAL_INDICES_H
#define SHEAF_DIALECTS_GRAPH_OPS_LOCAL_INDICES_H

#include "dialects/graph/primitive_builder.h"

namespace sheaf::graph {

/// Indices as the rank uses them.
struct LocalIndices {
  mlir::Value indices; ///< into the rank's block
  mlir::Value isHere;  ///< whether the rank holds the element, of their shape; null: it holds all
};

/// Turns `indices` into dim `dim` of `operand`, the op's operand 0, into local ones: `elsewhere` where
/// another rank holds the element. An index that is out of range of the whole dim stays one, so that
/// every rank finds it.
LocalIndices localIndices(PrimitiveBuilder &b, LocalShards &shards, mlir::RankedTensorType operand,
                          int64_t dim, mlir::Value indices, int64_t elsewhere = 0);

/// The same for tuples along the last dim of `tuples`, the first index of each into dim `firstDim`.
/// `isHere` lacks that last dim. Where another rank holds the element, the index into dim
/// `elsewhereDim` is `elsewhere`.
LocalIndices localTuples(PrimitiveBuilder &b, LocalShards &shards, mlir::RankedTensorType operand,
                         int64_t firstDim, mlir::Value tuples, int64_t elsewhereDim = -1,
                         int64_t elsewhere = 0);

/// On a gather or scatter of a block (an array of i64): the extents that its indices count in, for messages.
inline constexpr llvm::StringLiteral kWholeExtents("graph.whole_extents");
/// Notes on `op`, whose operand 0 is a block of `whole`, the extents of the `count` dims from `firstDim` on, if they
/// are others.
void noteWholeExtents(mlir::Operation *op, mlir::RankedTensorType whole, int64_t firstDim,
                      int64_t count = 1);

/// The indices of the op's operand 1 with padding set to 0, which is in range.
mlir::Value maskedIndices(LocalShards &shards);

} // namespace sheaf::graph

#endif
