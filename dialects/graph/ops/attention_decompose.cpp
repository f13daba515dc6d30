// Attention as two contractions around a softmax.
#include "dialects/graph/ops/attention_weights.h"

using namespace mlir;
using namespace sheaf::graph;

SmallVector<Value> AttentionOp::decompose(OpBuilder &builder) {
  PrimitiveBuilder b(getLoc(), builder);
  Type element = getQuery().getType().getElementType();
  Value weights = b.cast(attentionWeights(b, AttentionScores::of(*this)).weights, element);
  return {contractHeads(b, weights, getValue(), /*groupDim=*/2, element)};
}
