// The heads of attention, as one op or in primitives.
#ifndef SHEAF_PASSES_SHARDING_ATTENTION_HEADS_H
#define SHEAF_PASSES_SHARDING_ATTENTION_HEADS_H

#include "passes/sharding/weight_use.h"

namespace sheaf::sharding {

/// Where the heads of an attention are.
struct AttentionHeads {
  /// A value, and which of its dims are heads.
  struct Place {
    mlir::Value value;
    unsigned dim;
  };

  mlir::Operation *op; ///< that makes the result
  Place query, key, value, result;

  /// Of graph.attention, or of a contraction of values with a softmax of products of queries and keys, whatever is done
  /// to these element by element: dropout of weights keeps attention in such primitives. There the last of at least two
  /// batch dims is the heads. None of other ops.
  static std::optional<AttentionHeads> of(mlir::Operation *op, const Weights &weights);
};

} // namespace sheaf::sharding

#endif
