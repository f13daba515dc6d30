// The weights of attention in primitive ops: what its decomposition and its gradient both compute.
//
// Scores are f32 for narrower floats. Grouped heads are read as [b, g, h/g, ..], so keys and values
// are never repeated.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_ATTENTION_WEIGHTS_H
#define SHEAF_DIALECTS_GRAPH_OPS_ATTENTION_WEIGHTS_H

#include "dialects/graph/primitive_builder.h"

namespace sheaf::graph {

/// Both `[b, h, s, t]`, of the compute type.
struct AttentionWeights {
  mlir::Value weights; ///< the softmax of the scores, 0 for a query that sees no key
  mlir::Value tanh;    ///< of the scores over the softcap; null without one
};

/// What weights are computed from, as `graph.attention` has it.
struct AttentionScores {
  mlir::Value query, key, mask; ///< the mask may be null
  double scale, softcap;
  bool isCausal;

  /// Of an attention, or of its gradient.
  template <typename Op> static AttentionScores of(Op op) {
    return {op.getQuery(),
            op.getKey(),
            op.getMask(),
            op.getScale().convertToDouble(),
            op.getSoftcap().convertToDouble(),
            op.getCausal()};
  }
};

AttentionWeights attentionWeights(PrimitiveBuilder &b, const AttentionScores &scores);

/// Contracts over one dim of heads `[b, h, ..]` against groups `[b, g, ..]`: `[b, h, s, d]` with
/// `[b, g, t, d]` over dim 3 or `[b, h, s, t]` with `[b, g, t, e]` over dim 2 of the groups. The result
/// is of type `element`.
mlir::Value contractHeads(PrimitiveBuilder &b, mlir::Value heads, mlir::Value groups,
                          int64_t groupDim, mlir::Type element);

} // namespace sheaf::graph

#endif
