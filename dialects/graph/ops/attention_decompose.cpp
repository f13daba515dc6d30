// Attention as two contractions around a softmax.
//
// Scores are f32 for narrower floats. Grouped heads are read as [b, g, h/g, ..], so keys and values
// are never repeated.
#include "dialects/graph/primitive_builder.h"

#include <limits>

using namespace mlir;
using namespace sheaf::graph;

/// Contracts over one dim of heads `[b, h, ..]` against groups `[b, g, ..]`: `[b, h, s, d]` with
/// `[b, g, t, d]` or `[b, h, s, t]` with `[b, g, t, e]`.
static Value contractHeads(PrimitiveBuilder &b, Value heads, Value groups, int64_t groupDim,
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

SmallVector<Value> AttentionOp::decompose(OpBuilder &builder) {
  PrimitiveBuilder b(getLoc(), builder);
  Type element = getQuery().getType().getElementType();
  Type compute = computeTypeOf(element);
  Value scores = contractHeads(b, getQuery(), getKey(), /*groupDim=*/3, compute);
  scores = b.binary(BinaryKind::mul, scores, getScale().convertToDouble());
  if (double cap = getSoftcap().convertToDouble()) {
    Value tanh = b.unary(UnaryKind::tanh, b.binary(BinaryKind::div, scores, cap));
    scores = b.binary(BinaryKind::mul, tanh, cap);
  }
  if (Value mask = getMask()) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(scores.getType()).getShape();
    Value wide = b.broadcast(b.cast(mask, compute), shape, {0, 1, 2, 3});
    scores = b.binary(BinaryKind::add, scores, wide);
  }
  if (getCausal())
    scores = maskFuture(b, scores);
  bool canSeeNone = getMask() || (getCausal() && getKey().getType().getDimSize(2) <
                                                     getQuery().getType().getDimSize(2));
  Value weights = canSeeNone ? softmaxOfVisible(b, scores)
                             : Value(SoftmaxOp::create(b, scores.getType(), scores, 3));
  return {contractHeads(b, b.cast(weights, element), getValue(), /*groupDim=*/2, element)};
}
