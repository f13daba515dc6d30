// The gradient of attention in primitive ops, with the weights computed again from query and key.
//
// With `p` the weights, `o = p v`, `g` the gradient of `o` and `z` the scores that the softmax takes:
//
//   dv = p^T g,   dp = g v^T,   dz = p (dp - sum over keys of p dp)
//
// and from `z = softcap(scale q k^T) + mask`: `dmask = dz`, `dq = scale ds k`, `dk = scale ds^T q`, where
// `ds = dz`, times `1 - tanh^2` with a softcap. Hidden keys have `p = 0`, so nothing flows to them. Scores
// and all that has their shape are f32 for narrower floats; only products read them rounded.
#include "dialects/graph/ops/attention_weights.h"

using namespace mlir;
using namespace sheaf::graph;

/// `[b, h, s, x]` with `[b, h, s, y]`, summed over the queries of all heads of a group: `[b, g, x, y]`.
static Value contractQueries(PrimitiveBuilder &b, Value lhs, Value rhs, int64_t groups) {
  SmallVector<int64_t> summed{2};
  if (int64_t heads = shapeOf(lhs)[1]; heads != groups) {
    auto split = [&](Value x) {
      ArrayRef<int64_t> shape = shapeOf(x);
      return b.reshape(x, {shape[0], groups, heads / groups, shape[2], shape[3]});
    };
    lhs = split(lhs);
    rhs = split(rhs);
    summed = {2, 3};
  }
  return ContractOp::create(b, lhs, rhs, ArrayRef<int64_t>{0, 1}, ArrayRef<int64_t>{0, 1}, summed,
                            summed);
}

/// The gradient of what the softmax takes, from the weights and their gradient.
static Value throughSoftmax(PrimitiveBuilder &b, Value weights, Value gradient) {
  Value sum = b.reduce(ReduceKind::sum, b.binary(BinaryKind::mul, weights, gradient), {3});
  Value centered = b.binary(BinaryKind::sub, gradient, b.spread(sum, shapeOf(weights), {3}));
  return b.binary(BinaryKind::mul, weights, centered);
}

/// The gradient of the products of queries and keys from that of what the softmax takes.
static Value throughScores(PrimitiveBuilder &b, double scale, Value tanh, Value gradient) {
  if (tanh) {
    Value squared = b.binary(BinaryKind::mul, tanh, tanh);
    Value slope = b.binary(BinaryKind::sub, b.splatLike(tanh, 1.0), squared);
    gradient = b.binary(BinaryKind::mul, gradient, slope);
  }
  return b.binary(BinaryKind::mul, gradient, scale);
}

SmallVector<Value> AttentionGradOp::decompose(OpBuilder &builder) {
  PrimitiveBuilder b(getLoc(), builder);
  Value g = getResultGrad();
  Type element = getQuery().getType().getElementType();
  Type compute = computeTypeOf(element);
  int64_t groups = getKey().getType().getDimSize(1);
  AttentionScores from = AttentionScores::of(*this);
  AttentionWeights attention = attentionWeights(b, from);
  Value weightGradient = contractHeads(b, g, getValue(), /*groupDim=*/3, compute);
  Value logits = throughSoftmax(b, attention.weights, weightGradient);
  Value scores = b.cast(throughScores(b, from.scale, attention.tanh, logits), element);
  SmallVector<Value> gradients{contractHeads(b, scores, getKey(), /*groupDim=*/2, element),
                               contractQueries(b, scores, getQuery(), groups),
                               contractQueries(b, b.cast(attention.weights, element), g, groups)};
  if (getNeedsMaskGrad()) {
    RankedTensorType type = typeOf(getMask());
    Value sum = b.sumTo(logits, type.getShape(), {0, 1, 2, 3});
    gradients.push_back(b.cast(sum, type.getElementType()));
  }
  return gradients;
}
