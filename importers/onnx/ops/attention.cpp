// ONNX's own attention operators: Attention, RotaryEmbedding, LinearAttention.
#include "importers/onnx/attention_form.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// Puts past keys or values before the new ones.
Value withPast(Node &n, Value past, Value value) {
  return past ? n.concat({past, value}, 2) : value;
}

/// A mask whose keys end early hides the rest.
Value padMask(Node &n, Value mask, int64_t t) {
  int64_t rank = n.rank(mask), missing = t - n.dim(mask, rank - 1);
  if (n.failed() || rank == 0 || missing <= 0 || n.dim(mask, rank - 1) == 1)
    return mask;
  SmallVector<int64_t> low(rank), high(rank);
  high[rank - 1] = missing;
  double hidden = n.element(mask).isInteger(1) ? 0 : -std::numeric_limits<double>::infinity();
  return n.pad(mask, n.number(hidden, mask), low, high);
}

/// How many keys come before the query block: a scalar, or one number per batch entry as
/// `[b, 1, 1, 1]`.
Value keyOffset(Node &n, int64_t s) {
  Type i64 = IntegerType::get(n.context(), 64);
  if (n.has(4))
    return n.scalar(i64, static_cast<double>(n.dim(n.input(4), 2)));
  if (!n.has(6))
    return n.scalar(i64, 0);
  Value lengths = n.cast(n.input(6), i64);
  Value offset = n.sub(lengths, n.scalar(i64, static_cast<double>(s)));
  return n.reshape(offset, {n.dim(lengths, 0), 1, 1, 1});
}

/// The causal, window and padding masks that can't be told by `causal` alone.
void addMasks(Node &n, AttentionForm &form) {
  int64_t s = n.dim(form.query, 2), t = n.dim(form.key, 2);
  int64_t left = n.integer("left_window_size", -1), right = n.integer("right_window_size", -1);
  bool isCausal = n.integer("is_causal", 0) != 0;
  if (Value mask = n.optional(3)) {
    mask = padMask(n, mask, t);
    (n.isFloat(mask) ? form.bias : form.visible) = mask;
  }
  bool isPlain = !n.has(6) && (n.has(4) ? n.dim(n.input(4), 2) == t - s : s == t);
  form.isCausal = isCausal && isPlain;
  Value offset = keyOffset(n, s);
  if (isCausal && !isPlain)
    form.visible = bothVisible(n, form.visible, windowMask(n, s, t, offset, -1, 0));
  if (left >= 0 || right >= 0)
    form.visible = bothVisible(n, form.visible, windowMask(n, s, t, offset, left, right));
  if (n.has(6)) {
    Type i64 = IntegerType::get(n.context(), 64);
    Value lengths = n.reshape(n.cast(n.input(6), i64), {n.dim(n.input(6), 0), 1, 1, 1});
    Value isReal = n.compare(CompareKind::lt, n.iota({1, 1, 1, t}, i64, 3), lengths);
    form.visible = bothVisible(n, form.visible, isReal);
  }
}

void importAttention(Node &n) {
  n.expectInputs(3, 7);
  AttentionForm form{n.input(0), n.input(1), n.input(2), {}, {}};
  n.ignore("softmax_precision"); // 16-bit scores are f32 always.
  bool isPacked = n.rank(form.query) == 3;
  int64_t numHeads = n.integer("q_num_heads", 0), numKeyHeads = n.integer("kv_num_heads", 0);
  if (isPacked) {
    form.query = splitHeads(n, form.query, numHeads);
    form.key = splitHeads(n, form.key, numKeyHeads);
    form.value = splitHeads(n, form.value, numKeyHeads);
  }
  if (!n.failed() && (n.rank(form.query) != 4 || n.rank(form.key) != 4 || n.rank(form.value) != 4))
    n.fail("Q, K and V must have rank 3 or 4");
  if (!n.failed() && n.has(4) != n.has(5))
    n.fail("past_key and past_value come together");
  if (n.failed())
    return;
  form.key = withPast(n, n.optional(4), form.key);
  form.value = withPast(n, n.optional(5), form.value);
  double headSize = static_cast<double>(std::max<int64_t>(n.dim(form.query, 3), 1));
  form.scale = n.real("scale", 1 / std::sqrt(headSize));
  form.softcap = n.real("softcap", 0);
  addMasks(n, form);
  int64_t stage = n.integer("qk_matmul_output_mode", 0);
  if (!n.failed() && (stage < 0 || stage > 3))
    n.fail("qk_matmul_output_mode is " + Twine(stage));
  Value result = attend(n, form);
  n.output(0, isPacked ? mergeHeads(n, result) : result);
  n.output(1, form.key);
  n.output(2, form.value);
  if (n.wants(3))
    n.output(3, attentionScores(n, form, static_cast<ScoreStage>(stage)));
}

/// Angles come from caches by position, or per token.
void importRotaryEmbedding(Node &n) {
  n.expectInputs(3, 4);
  Value x = n.input(0), cosine = n.input(1), sine = n.input(2);
  bool isInterleaved = n.integer("interleaved", 0) != 0, isPacked = n.rank(x) == 3;
  int64_t numHeads = n.integer("num_heads", 0), rotated = n.integer("rotary_embedding_dim", 0);
  if (!n.failed() && !isPacked && n.rank(x) != 4)
    n.fail("X has rank " + Twine(n.rank(x)) + ", not 3 or 4");
  if (!n.failed() && isPacked && (numHeads <= 0 || n.dim(x, 2) % numHeads != 0))
    n.fail("X of width " + Twine(n.dim(x, 2)) + " has no " + Twine(numHeads) + " heads");
  if (n.has(3)) {
    cosine = n.gather(cosine, n.input(3), 0);
    sine = n.gather(sine, n.input(3), 0);
  }
  if (!n.failed() && n.rank(cosine) != 3)
    n.fail("cos_cache and sin_cache do not give an angle per token");
  if (n.failed())
    return;
  SmallVector<int64_t> packedShape(n.shape(x));
  if (isPacked)
    x = n.reshape(x, {n.dim(x, 0), n.dim(x, 1), numHeads, n.dim(x, 2) / numHeads});
  int64_t half = (rotated == 0 ? n.dim(x, 3) : rotated) / 2, headDim = isPacked ? 2 : 1;
  if (half <= 0 || half > n.dim(cosine, 2) || 2 * half > n.dim(x, 3))
    return n.fail("rotary_embedding_dim " + Twine(2 * half) + " does not fit the caches");
  auto angles = [&](Value cache) { return n.unsqueeze(n.sliceDim(cache, 2, 0, half), {headDim}); };
  Value result = n.make<RotaryOp>(x, angles(cosine), angles(sine), isInterleaved);
  n.output(0, isPacked ? n.reshape(result, packedShape) : result);
}

/// Runs the recurrence token by token.
void importLinearAttention(Node &n) {
  n.expectInputs(3, 6);
  std::string rule = n.string("update_rule", "gated_delta");
  int64_t h = n.requiredInteger("q_num_heads"), g = n.requiredInteger("kv_num_heads");
  double scale = n.real("scale", 0);
  n.ignore("chunk_size");
  n.expectChoice("update_rule", rule, {"linear", "gated", "delta", "gated_delta"});
  bool isGated = StringRef(rule).starts_with("gated"), isDelta = StringRef(rule).ends_with("delta");
  Type f32 = Float32Type::get(n.context());
  auto heads = [&](Value value, int64_t count) { return n.cast(splitHeads(n, value, count), f32); };
  Value q = heads(n.input(0), h), k = heads(n.input(1), g), v = heads(n.input(2), g);
  if (!n.failed() && (h % g != 0 || n.has(4) != isGated || n.has(5) != isDelta))
    n.fail("q_num_heads, decay or beta do not fit update_rule \"" + rule + "\"");
  if (n.failed())
    return;
  int64_t b = n.dim(q, 0), t = n.dim(q, 2), dk = n.dim(q, 3), dv = n.dim(v, 3);
  Value decay = isGated ? heads(n.input(4), g) : Value(); // [b, g, t, 1 or k]
  Value beta = isDelta ? heads(n.input(5), n.dim(n.input(5), 2)) : Value();
  Value state = n.has(3) ? n.cast(n.input(3), f32) : n.splat({b, g, dk, dv}, f32, 0);
  if (scale == 0)
    scale = 1 / std::sqrt(static_cast<double>(std::max<int64_t>(dk, 1)));
  SmallVector<Value> results;
  for (int64_t token = 0; token < t && !n.failed(); ++token) {
    auto at = [&](Value value) { return n.sliceDim(value, 2, token, token + 1); };
    Value key = n.swap(at(k), 2, 3), update = at(v); // [b, g, k, 1], [b, g, 1, v]
    if (isGated)
      state = n.mul(state, n.unary(UnaryKind::exp, n.swap(at(decay), 2, 3)));
    if (isDelta)
      update = n.mul(at(beta), n.sub(update, n.matmul(at(k), state)));
    state = n.add(state, n.mul(key, update));
    SmallVector<int64_t> spread{b, g, h / g, dk, dv};
    Value perHead = n.reshape(n.broadcastDims(state, spread, {0, 1, 3, 4}), {b, h, dk, dv});
    results.push_back(n.mul(n.matmul(at(q), perHead), n.scalar(f32, scale)));
  }
  Value all = results.empty() ? n.splat({b, h, 0, dv}, f32, 0) : n.concat(results, 2);
  n.output(0, n.cast(mergeHeads(n, all), n.element(n.input(0))));
  n.output(1, n.cast(state, n.element(n.has(3) ? n.input(3) : n.input(0))));
}

} // namespace

void registerAttention(OpTable &table) {
  table.add("Attention", importAttention, 23);
  table.add("LinearAttention", importLinearAttention, 27);
  table.add("RotaryEmbedding", importRotaryEmbedding, 23);
}

} // namespace sheaf::onnx
