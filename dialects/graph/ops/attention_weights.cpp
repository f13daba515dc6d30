// The weights of attention in primitive ops: what its decomposition and its gradient both compute.
#include "dialects/graph/ops/attention_weights.h"

#include <limits>

using namespace mlir;
using namespace sheaf::graph;

Value sheaf::graph::contractHeads(PrimitiveBuilder &b, Value heads, Value groups, int64_t groupDim,
                                  Type element) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(heads.getType()).getShape();
  ArrayRef<int64_t> groupShape = cast<RankedTensorType>(groups.getType()).getShape();
  int64_t g = groupShape[1], free = groupShape[groupDim == 2 ? 3 : 2];
  SmallVector<int64_t> resultShape{shape[0], shape[1], shape[2], free};
  bool isGrouped = g != 0 && g != shape[1];
  int64_t contracted = 3;
  if (isGrouped) {
    contracted = 4;
    heads = b.reshape(heads, {shape[0], g, shape[1] / g, shape[2], shape[3]});
    resultShape = {shape[0], g, shape[1] / g, shape[2], free};
  }
  Value result = ContractOp::create(b, RankedTensorType::get(resultShape, element), heads, groups,
                                    ArrayRef<int64_t>{0, 1}, ArrayRef<int64_t>{0, 1},
                                    ArrayRef<int64_t>(contracted), ArrayRef<int64_t>(groupDim));
  return b.reshape(result, {shape[0], shape[1], shape[2], free});
}

/// `-inf` where query `i` may not see key `j`: `j > i + t - s`.
static Value maskFuture(PrimitiveBuilder &b, Value scores) {
  auto type = cast<RankedTensorType>(scores.getType());
  int64_t s = type.getDimSize(2), t = type.getDimSize(3);
  auto places = RankedTensorType::get({s, t}, b.getI64Type());
  Value query = b.binary(BinaryKind::add, IotaOp::create(b, places, 0), double(t - s));
  Value isVisible = b.compare(CompareKind::le, IotaOp::create(b, places, 1), query);
  return b.select(b.broadcast(isVisible, type.getShape(), {2, 3}), scores,
                  b.splat(type, -std::numeric_limits<double>::infinity()));
}

/// The softmax of scores over the keys, 0 for a query that sees none.
static Value softmaxOfVisible(PrimitiveBuilder &b, Value scores) {
  auto type = cast<RankedTensorType>(scores.getType());
  Value weights = SoftmaxOp::create(b, type, scores, 3);
  Value highest = b.reduce(ReduceKind::max, scores, {3});
  Value seesNone = b.compare(CompareKind::eq, highest,
                             b.splatLike(highest, -std::numeric_limits<double>::infinity()));
  return b.select(b.spread(seesNone, type.getShape(), {3}), b.splat(type, 0), weights);
}

AttentionWeights sheaf::graph::attentionWeights(PrimitiveBuilder &b, const AttentionScores &from) {
  Type compute = computeTypeOf(typeOf(from.query).getElementType());
  Value scores = contractHeads(b, from.query, from.key, /*groupDim=*/3, compute);
  scores = b.binary(BinaryKind::mul, scores, from.scale);
  AttentionWeights result;
  if (from.softcap != 0) {
    result.tanh = b.unary(UnaryKind::tanh, b.binary(BinaryKind::div, scores, from.softcap));
    scores = b.binary(BinaryKind::mul, result.tanh, from.softcap);
  }
  if (from.mask) {
    Value wide = b.broadcast(b.cast(from.mask, compute), shapeOf(scores), {0, 1, 2, 3});
    scores = b.binary(BinaryKind::add, scores, wide);
  }
  if (from.isCausal)
    scores = maskFuture(b, scores);
  bool canSeeNone = from.mask || (from.isCausal && shapeOf(from.key)[2] < shapeOf(from.query)[2]);
  result.weights = canSeeNone ? softmaxOfVisible(b, scores)
                              : Value(SoftmaxOp::create(b, scores.getType(), scores, 3));
  return result;
}
