// Boxes of tensors: slices of slices read as one.
#ifndef SHEAF_PASSES_GRAPH_SEGMENT_H
#define SHEAF_PASSES_GRAPH_SEGMENT_H

#include "dialects/graph/primitive_builder.h"

namespace sheaf::graph {

/// The elements `starts + i * strides` of `source`, `i` below `counts`.
struct Segment {
  mlir::Value source;
  llvm::SmallVector<int64_t> starts, counts, strides;

  /// `value` through all the slices it is made by.
  static Segment of(mlir::Value value);

  int64_t lastStart() const { return starts.back(); }
  int64_t lastCount() const { return counts.back(); }
  int64_t lastStride() const { return strides.back(); }
  /// Whether both are of one source and agree in all dims but the last.
  bool isBeside(const Segment &other) const;
  /// The segment as a value; its source itself when it is all of it.
  mlir::Value build(PrimitiveBuilder &builder) const;
};

/// Whether the first half of `value` along `dim` is the same as the second, by the way it is made.
bool hasEqualHalves(mlir::Value value, int64_t dim);

} // namespace sheaf::graph

#endif
