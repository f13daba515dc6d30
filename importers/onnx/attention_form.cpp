// Builds attention from its operands, masks and options.
#include "importers/onnx/attention_form.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The boolean and the float mask as one float mask of rank 4; null when there is none.
Value additiveMask(Node &n, const AttentionForm &form) {
  Value mask = form.bias ? n.cast(form.bias, n.element(form.query)) : Value();
  if (form.visible) {
    Value zero = n.number(0, form.query), hidden = n.number(-kInfinity, form.query);
    mask = n.select(form.visible, mask ? mask : zero, hidden);
  }
  if (!mask)
    return {};
  SmallVector<int64_t> missing;
  for (int64_t dim = 0; dim < 4 - n.rank(mask); ++dim)
    missing.push_back(dim);
  return n.unsqueeze(mask, missing);
}

bool mayHideAllKeys(const AttentionForm &form) { return form.visible || form.bias; }

/// True for queries that see no key, `[.., s, 1]`. A constant mask folds this away.
Value seesNothing(Node &n, Value mask) {
  Value best = n.reduce(ReduceKind::max, mask, {3}, true);
  return n.compare(CompareKind::eq, best, n.number(-kInfinity, best));
}

bool isNeverTrue(Value predicate) {
  auto constant = GraphBuilder::constantOf(predicate);
  return constant && llvm::none_of(constant->getValues<bool>(), [](bool value) { return value; });
}

} // namespace

Value splitHeads(Node &n, Value value, int64_t numHeads) {
  if (n.failed())
    return {};
  if (n.rank(value) != 3 || numHeads <= 0 || n.dim(value, 2) % numHeads != 0) {
    n.fail("a tensor of shape " + shapeText(n.shape(value)) + " has no " + Twine(numHeads) +
           " heads");
    return {};
  }
  Value split =
      n.reshape(value, {n.dim(value, 0), n.dim(value, 1), numHeads, n.dim(value, 2) / numHeads});
  return n.transpose(split, {0, 2, 1, 3});
}

Value mergeHeads(Node &n, Value value) {
  Value rows = n.transpose(value, {0, 2, 1, 3});
  return n.reshape(rows, {n.dim(rows, 0), n.dim(rows, 1), n.dim(rows, 2) * n.dim(rows, 3)});
}

Value windowMask(Node &n, int64_t s, int64_t t, Value offset, int64_t left, int64_t right) {
  if (n.failed())
    return {};
  Type i64 = IntegerType::get(n.context(), 64);
  Value row = n.add(n.iota({s, t}, i64, 0), n.cast(offset, i64)), column = n.iota({s, t}, i64, 1);
  Value distance = n.sub(column, row), visible;
  if (right >= 0)
    visible = n.compare(CompareKind::le, distance, n.scalar(i64, static_cast<double>(right)));
  if (left >= 0)
    visible = bothVisible(
        n, visible,
        n.compare(CompareKind::ge, distance, n.scalar(i64, -static_cast<double>(left))));
  return visible;
}

Value bothVisible(Node &n, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return n.binary(BinaryKind::bitwise_and, lhs, rhs);
}

Value attend(Node &n, const AttentionForm &form) {
  if (n.failed())
    return {};
  Value mask = additiveMask(n, form);
  Value result = n.make<AttentionOp>(form.query, form.key, form.value, mask, APFloat(form.scale),
                                     form.isCausal, APFloat(form.softcap));
  if (!mask || !mayHideAllKeys(form))
    return result;
  Value isHidden = seesNothing(n, mask);
  return isNeverTrue(isHidden) ? result : n.select(isHidden, n.number(0, result), result);
}

Value attentionScores(Node &n, const AttentionForm &form, ScoreStage stage) {
  if (n.failed())
    return {};
  int64_t h = n.dim(form.query, 1), g = std::max<int64_t>(n.dim(form.key, 1), 1);
  int64_t s = n.dim(form.query, 2), t = n.dim(form.key, 2);
  SmallVector<int64_t> spread{n.dim(form.key, 0), g, h / g, t, n.dim(form.key, 3)};
  Value keys =
      n.reshape(n.broadcastDims(form.key, spread, {0, 1, 3, 4}), {spread[0], h, t, spread[4]});
  Value scores = n.matmul(form.query, n.swap(keys, 2, 3));
  scores = n.mul(scores, n.number(form.scale, scores));
  if (stage == ScoreStage::raw)
    return scores;
  if (form.softcap > 0) {
    Value cap = n.number(form.softcap, scores);
    scores = n.mul(n.unary(UnaryKind::tanh, n.div(scores, cap)), cap);
  }
  if (stage == ScoreStage::capped)
    return scores;
  AttentionForm masked = form;
  if (form.isCausal) {
    Value offset = n.scalar(IntegerType::get(n.context(), 64), static_cast<double>(t - s));
    masked.visible = bothVisible(n, form.visible, windowMask(n, s, t, offset, -1, 0));
  }
  Value mask = additiveMask(n, masked);
  if (mask)
    scores = n.add(scores, mask);
  if (stage == ScoreStage::biased)
    return scores;
  Value weights = n.make<SoftmaxOp>(scores, 3);
  return mask ? n.select(seesNothing(n, mask), n.number(0, weights), weights) : weights;
}

} // namespace sheaf::onnx
