// The attention operators of com.microsoft.
#include "importers/onnx/attention_form.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

Type i64Of(Node &n) { return IntegerType::get(n.context(), 64); }

double scaleOf(Node &n, const AttentionForm &form) {
  double scale = n.real("scale", 0);
  double width = static_cast<double>(std::max<int64_t>(n.dim(form.query, 3), 1));
  return scale == 0 ? 1 / std::sqrt(width) : scale;
}

/// Adds a mask of keys: `[b, t]` with 0 for hidden ones, or `[b]` with the number of visible ones; also
/// `[b, s, t]`. Hidden keys get `filter` added, as ONNX Runtime does.
void addKeyMask(Node &n, AttentionForm &form, Value mask, double filter) {
  if (!mask || n.failed())
    return;
  int64_t b = n.dim(form.query, 0), t = n.dim(form.key, 2);
  Value places = n.cast(mask, i64Of(n)), isVisible;
  if (n.rank(mask) == 1 && n.dim(mask, 0) == b)
    isVisible = n.compare(CompareKind::lt, n.iota({1, 1, 1, t}, i64Of(n), 3),
                          n.reshape(places, {b, 1, 1, 1}));
  else if (n.rank(mask) == 2 && n.dim(mask, 1) == t)
    isVisible = n.unsqueeze(n.compare(CompareKind::ne, places, n.scalar(i64Of(n), 0)), {1, 2});
  else if (n.rank(mask) == 3 && n.dim(mask, 2) == t)
    isVisible = n.unsqueeze(n.compare(CompareKind::ne, places, n.scalar(i64Of(n), 0)), {1});
  else
    return n.fail("a mask of shape " + shapeText(n.shape(mask)) + " is not supported");
  Value bias = n.select(isVisible, n.number(0, form.query), n.number(filter, form.query));
  form.bias = form.bias ? n.add(form.bias, bias) : bias;
}

/// One linear layer gives query, key and value side by side.
void importAttention(Node &n) {
  n.expectInputs(2, 7);
  Value x = n.input(0), weights = n.input(1);
  int64_t numHeads = n.requiredInteger("num_heads");
  bool isCausal = n.integer("unidirectional", 0) != 0;
  double filter = n.real("mask_filter_value", -10000.0f);
  SmallVector<int64_t> widths = n.integers("qkv_hidden_sizes");
  for (StringRef name : {"do_rotary", "past_present_share_buffer"})
    if (n.integer(name, 0) != 0)
      return n.fail(name + " is not supported");
  n.ignore("rotary_embedding_dim");
  Value packed = n.matmul(x, weights);
  if (n.has(2))
    packed = n.add(packed, n.input(2));
  if (widths.empty())
    widths.assign(3, n.dim(packed, 2) / 3);
  if (!n.failed() && (n.rank(packed) != 3 || widths.size() != 3 || widths[0] < 0 || widths[1] < 0 ||
                      widths[2] < 0 || widths[0] + widths[1] + widths[2] != n.dim(packed, 2)))
    n.fail("the weights' columns do not split into query, key and value");
  if (n.failed())
    return;
  auto part = [&](int64_t start, int64_t width) {
    return splitHeads(n, n.sliceDim(packed, 2, start, start + width), numHeads);
  };
  AttentionForm form{part(0, widths[0]),
                     part(widths[0], widths[1]),
                     part(widths[0] + widths[1], widths[2]),
                     {},
                     {}};
  if (n.has(4)) { // [2, b, h, p, d]
    auto half = [&](int64_t index) {
      return n.squeeze(n.sliceDim(n.input(4), 0, index, index + 1), {0});
    };
    form.key = n.concat({half(0), form.key}, 2);
    form.value = n.concat({half(1), form.value}, 2);
  }
  form.scale = scaleOf(n, form);
  form.isCausal = isCausal;
  form.bias = n.optional(5);
  addKeyMask(n, form, n.optional(3), filter);
  n.output(0, mergeHeads(n, attend(n, form)));
  if (n.wants(1))
    n.output(1, n.concat({n.unsqueeze(form.key, {0}), n.unsqueeze(form.value, {0})}, 0));
}

/// The bias of query, key and value side by side.
Value addBiasPart(Node &n, Value value, Value bias, int64_t start) {
  if (!bias || n.failed())
    return value;
  int64_t width = n.dim(value, 2);
  if (n.rank(bias) != 1 || start + width > n.dim(bias, 0)) {
    n.fail("the bias does not fit query, key and value");
    return {};
  }
  return n.add(value, n.sliceDim(bias, 0, start, start + width));
}

/// Element `index` of the packed dim 3 of `[b, s, h, count, d]`, as `[b, h, s, d]`.
Value unpack(Node &n, Value packed, int64_t index) {
  Value part = n.squeeze(n.sliceDim(packed, 3, index, index + 1), {3});
  return n.transpose(part, {0, 2, 1, 3});
}

void importMultiHeadAttention(Node &n) {
  n.expectInputs(1, 8);
  int64_t numHeads = n.requiredInteger("num_heads");
  bool isCausal = n.integer("unidirectional", 0) != 0;
  double filter = n.real("mask_filter_value", -10000.0f);
  Value q = n.input(0), k = n.optional(1), v = n.optional(2), bias = n.optional(3);
  AttentionForm form;
  if (n.rank(q) == 5 && n.dim(q, 3) == 3) {
    form = {unpack(n, q, 0), unpack(n, q, 1), unpack(n, q, 2), {}, {}};
  } else {
    if (!n.failed() && (n.rank(q) != 3 || !k))
      n.fail("query must be [b, s, h d] with a key, or packed");
    int64_t width = n.dim(q, 2);
    form.query = splitHeads(n, addBiasPart(n, q, bias, 0), numHeads);
    if (n.rank(k) == 5 && n.dim(k, 3) == 2) {
      form.key = unpack(n, k, 0);
      form.value = unpack(n, k, 1);
    } else if (n.rank(k) == 4) {
      form.key = k;
      form.value = v;
    } else {
      form.key = splitHeads(n, addBiasPart(n, k, bias, width), numHeads);
      form.value = splitHeads(n, addBiasPart(n, v, bias, 2 * width), numHeads);
    }
  }
  if (n.failed())
    return;
  if (n.has(6) && n.has(7)) {
    form.key = n.concat({n.input(6), form.key}, 2);
    form.value = n.concat({n.input(7), form.value}, 2);
  }
  form.scale = scaleOf(n, form);
  form.isCausal = isCausal;
  form.bias = n.optional(5);
  addKeyMask(n, form, n.optional(4), filter);
  n.output(0, mergeHeads(n, attend(n, form)));
  n.output(1, form.key);
  n.output(2, form.value);
  if (n.wants(3))
    n.output(3, attentionScores(n, form, ScoreStage::raw));
}

/// The angles of each token of `[b, h, s, d]` from caches by position `[b, s]`.
Value rotate(Node &n, Value x, Value positions, Value cosines, Value sines, bool isInterleaved) {
  auto angles = [&](Value cache) { return n.unsqueeze(n.gather(cache, positions, 0), {1}); };
  return n.make<RotaryOp>(x, angles(cosines), angles(sines), isInterleaved);
}

/// `[b, s]`: the first position of each batch entry, counted on.
Value countedPositions(Node &n, Value first, int64_t b, int64_t s) {
  Value start = n.reshape(n.cast(first, i64Of(n)), {n.dim(first, 0), 1});
  return n.broadcast(n.add(n.iota({1, s}, i64Of(n), 1), start), {b, s});
}

void importRotaryEmbedding(Node &n) {
  n.expectInputs(4, 4);
  Value x = n.input(0), positions = n.input(1);
  bool isInterleaved = n.integer("interleaved", 0) != 0, isPacked = n.rank(x) == 3;
  int64_t numHeads = n.integer("num_heads", 0);
  n.ignore("rotary_embedding_dim"); // The caches have its width.
  if (n.real("scale", 1) != 1 || n.integer("is_packed_batching", 0) != 0)
    return n.fail("scale and is_packed_batching are not supported");
  if (isPacked && numHeads == 0)
    numHeads = n.dim(x, 2) / std::max<int64_t>(2 * n.dim(n.input(2), 1), 1);
  if (isPacked)
    x = splitHeads(n, x, numHeads);
  if (n.rank(positions) == 1 && n.dim(positions, 0) == 1)
    positions = countedPositions(n, positions, n.dim(x, 0), n.dim(x, 2));
  Value result = rotate(n, x, positions, n.input(2), n.input(3), isInterleaved);
  n.output(0, isPacked ? mergeHeads(n, result) : result);
}

/// Splits packed query, key and value, `[b, s, (h + 2 g) d]`.
void readGroupedOperands(Node &n, AttentionForm &form, int64_t h, int64_t g) {
  Value q = n.input(0);
  if (n.failed())
    return;
  if (h <= 0 || g <= 0 || h % g != 0)
    return n.fail(Twine(h) + " heads do not group over " + Twine(g) + " key heads");
  if (n.has(1) && n.has(2)) {
    form.query = splitHeads(n, q, h);
    form.key = splitHeads(n, n.input(1), g);
    form.value = splitHeads(n, n.input(2), g);
    return;
  }
  Value all = splitHeads(n, q, h + 2 * g);
  form.query = n.sliceDim(all, 1, 0, h);
  form.key = n.sliceDim(all, 1, h, h + g);
  form.value = n.sliceDim(all, 1, h + g, h + 2 * g);
}

/// Writes the new entries after each batch entry's `start` past ones, in a cache of `t` entries.
Value appendAt(Node &n, Value past, Value fresh, Value start, int64_t t) {
  SmallVector<int64_t> none(4), high{0, 0, t - n.dim(past, 2), 0};
  Value room = n.pad(past, n.number(0, past), none, high);
  Value places =
      n.add(n.iota(n.shape(fresh), i64Of(n), 2), n.broadcastDims(start, n.shape(fresh), {0}));
  return n.make<ScatterElementsOp>(ScatterKind::set, room, places, fresh, 2);
}

/// Keys are cached; `seqlens_k + 1` counts each batch entry's valid keys with the new ones.
void importGroupQueryAttention(Node &n) {
  n.expectInputs(7, 11);
  int64_t h = n.requiredInteger("num_heads"), g = n.requiredInteger("kv_num_heads");
  bool isRotary = n.integer("do_rotary", 0) != 0;
  bool isInterleaved = n.integer("rotary_interleaved", 0) != 0;
  int64_t window = n.integer("local_window_size", -1);
  if (n.integer("smooth_softmax", 0) > 0)
    return n.fail("smooth_softmax is not supported");
  AttentionForm form;
  readGroupedOperands(n, form, h, g);
  form.softcap = n.real("softcap", 0);
  form.scale = scaleOf(n, form);
  if (n.failed())
    return;
  int64_t b = n.dim(form.query, 0), s = n.dim(form.query, 2);
  Value past = n.optional(3), pastValue = n.optional(4);
  int64_t p = past ? n.dim(past, 2) : 0, t = p + s;
  // A cache with room to spare keeps its size.
  auto total = n.constantValue(n.input(6));
  if (total && total->getNumElements() == 1) {
    int64_t count = intValues(*total).front();
    if (count < s || count > t)
      return n.fail("total_sequence_length is " + Twine(count) + " with " + Twine(p) +
                    " past and " + Twine(s) + " new keys");
    t = std::max(p, count);
  }
  Value lengths = n.add(n.reshape(n.cast(n.input(5), i64Of(n)), {b}), n.scalar(i64Of(n), 1));
  Value start = n.splat({b}, i64Of(n), 0);
  if (p > 0)
    start = n.max(n.sub(lengths, n.scalar(i64Of(n), static_cast<double>(s))), start);
  if (isRotary) {
    Value positions = n.has(9) ? n.input(9) : countedPositions(n, start, b, s);
    form.query = rotate(n, form.query, positions, n.input(7), n.input(8), isInterleaved);
    form.key = rotate(n, form.key, positions, n.input(7), n.input(8), isInterleaved);
  }
  if (past && p > 0) {
    form.key = appendAt(n, past, form.key, start, t);
    form.value = appendAt(n, pastValue, form.value, start, t);
  }
  Value offset = n.reshape(start, {b, 1, 1, 1});
  form.visible = windowMask(n, s, t, offset, window < 0 ? -1 : window - 1, 0);
  form.bias = n.optional(10);
  n.output(0, mergeHeads(n, attend(n, form)));
  n.output(1, form.key);
  n.output(2, form.value);
}

} // namespace

void registerMicrosoftAttention(OpTable &table) {
  table.addTo(kMicrosoft, "Attention", importAttention);
  table.addTo(kMicrosoft, "GroupQueryAttention", importGroupQueryAttention);
  table.addTo(kMicrosoft, "MultiHeadAttention", importMultiHeadAttention);
  table.addTo(kMicrosoft, "RotaryEmbedding", importRotaryEmbedding);
}

} // namespace sheaf::onnx
