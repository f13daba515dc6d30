// Normalizations over rows: layer and RMS norms with their fused forms, LpNormalization.
#include "importers/onnx/node.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// The type in which 16-bit statistics are computed.
Type wideElement(Node &n, Value value) {
  Type element = n.element(value);
  return element && element.getIntOrFloatBitWidth() < 32 ? Float32Type::get(n.context()) : element;
}

/// A scale or bias in the trailing shape that the graph ops want.
Value trailing(Node &n, Value parameter, Value x, int64_t axis) {
  if (!parameter || n.failed())
    return {};
  return n.broadcast(parameter, n.shape(x).drop_front(axis));
}

/// True when `parameter` broadcasts within the normalized dims.
bool isTrailing(Node &n, Value parameter, Value x, int64_t axis) {
  return !parameter || n.rank(parameter) <= n.rank(x) - axis;
}

struct RowStatistics {
  Value mean, inverse;
};

RowStatistics rowStatistics(Node &n, Value x, int64_t axis, double epsilon) {
  Value wide = n.cast(x, wideElement(n, x));
  auto dims = llvm::to_vector(llvm::seq(axis, n.rank(x)));
  Value mean = n.mean(wide, dims, true), centered = n.sub(wide, mean);
  Value variance = n.mean(n.mul(centered, centered), dims, true);
  return {mean, n.unary(UnaryKind::rsqrt, n.add(variance, n.number(epsilon, variance)))};
}

/// Layer norm with scale and bias of any broadcastable shape; optional statistics as outputs.
Value layerNorm(Node &n, Value x, Value scale, Value bias, int64_t axis, double epsilon) {
  if (n.failed())
    return {};
  if (isTrailing(n, scale, x, axis) && isTrailing(n, bias, x, axis))
    return n.make<LayerNormOp>(x, trailing(n, scale, x, axis), trailing(n, bias, x, axis), axis,
                               APFloat(epsilon));
  Value result = n.make<LayerNormOp>(x, Value(), Value(), axis, APFloat(epsilon));
  if (scale)
    result = n.mul(result, scale);
  return bias ? n.add(result, bias) : result;
}

Value rmsNorm(Node &n, Value x, Value scale, int64_t axis, double epsilon) {
  if (n.failed())
    return {};
  if (isTrailing(n, scale, x, axis))
    return n.make<RmsNormOp>(x, trailing(n, scale, x, axis), axis, APFloat(epsilon));
  return n.mul(n.make<RmsNormOp>(x, Value(), axis, APFloat(epsilon)), scale);
}

void writeStatistics(Node &n, Value x, int64_t axis, double epsilon, size_t first) {
  if (!n.wants(first) && !n.wants(first + 1))
    return;
  RowStatistics statistics = rowStatistics(n, x, axis, epsilon);
  n.output(first, statistics.mean);
  n.output(first + 1, statistics.inverse);
}

void importLayerNormalization(Node &n) {
  n.expectInputs(2, 3);
  Value x = n.input(0);
  int64_t axis = n.axis(n.integer("axis", -1), n.rank(x));
  double epsilon = n.real("epsilon", 1e-5f);
  n.ignore("stash_type"); // 16-bit statistics are f32 always.
  n.output(0, layerNorm(n, x, n.input(1), n.optional(2), axis, epsilon));
  writeStatistics(n, x, axis, epsilon, 1);
}

/// ONNX Runtime ignores attributes that this form does not have, and exporters wrote some.
void importEarlyLayerNormalization(Node &n) {
  n.warnOfUnknownAttributes();
  importLayerNormalization(n);
}

/// RMSNormalization, and SimplifiedLayerNormalization of ONNX Runtime.
void importRmsNormalization(Node &n) {
  n.expectInputs(2, 2);
  Value x = n.input(0);
  int64_t axis = n.axis(n.integer("axis", -1), n.rank(x));
  double epsilon = n.real("epsilon", 1e-5f);
  n.ignore("stash_type");
  n.output(0, rmsNorm(n, x, n.input(1), axis, epsilon));
  if (n.wants(1)) {
    Value wide = n.cast(x, wideElement(n, x));
    auto dims = llvm::to_vector(llvm::seq(axis, n.rank(x)));
    Value square = n.mean(n.mul(wide, wide), dims, true);
    n.output(1, n.unary(UnaryKind::rsqrt, n.add(square, n.number(epsilon, square))));
  }
}

/// com.microsoft: `norm(input + skip (+ bias))`, whose fourth output is the sum.
template <bool isSimplified> void importSkipNormalization(Node &n) {
  n.expectInputs(3, 5);
  Value total = n.add(n.input(0), n.input(1));
  Value scale = n.input(2), beta = isSimplified ? Value() : n.optional(3);
  Value bias = n.optional(isSimplified ? 3 : 4);
  double epsilon = n.real("epsilon", 1e-12f);
  if (bias)
    total = n.add(total, bias);
  int64_t axis = n.rank(total) - 1;
  if (!n.failed() && axis < 0)
    n.fail("the input is a scalar");
  n.output(0, isSimplified ? rmsNorm(n, total, scale, axis, epsilon)
                           : layerNorm(n, total, scale, beta, axis, epsilon));
  if (n.wants(1) || n.wants(2))
    writeStatistics(n, total, axis, epsilon, 1);
  n.output(3, total);
}

/// com.microsoft: the sum of word, position and segment embeddings, normalized.
void importEmbedLayerNormalization(Node &n) {
  n.expectInputs(7, 9);
  Value ids = n.input(0), words = n.input(2), positions = n.input(3);
  if (!n.failed() && n.rank(ids) != 2)
    n.fail("input_ids has rank " + Twine(n.rank(ids)) + ", not 2");
  if (n.failed())
    return;
  ArrayRef<int64_t> shape = n.shape(ids);
  Value places = n.has(8) ? n.broadcast(n.input(8), shape)
                          : n.iota(shape, IntegerType::get(n.context(), 32), 1);
  Value total = n.add(n.gather(words, ids, 0), n.gather(positions, places, 0));
  if (n.has(1) && n.has(4))
    total = n.add(total, n.gather(n.input(4), n.input(1), 0));
  double epsilon = n.real("epsilon", 1e-12f);
  n.ignore("mask_index_type");
  n.output(0, layerNorm(n, total, n.input(5), n.input(6), n.rank(total) - 1, epsilon));
  Type i32 = IntegerType::get(n.context(), 32);
  if (n.has(7)) // The length of each row.
    n.output(1, n.sum(n.cast(n.input(7), i32), {1}));
  else
    n.output(1, n.splat({n.dim(ids, 0)}, i32, 0));
  n.output(2, total);
}

void importLpNormalization(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  int64_t axis = n.axis(n.integer("axis", -1), n.rank(x)), p = n.integer("p", 2);
  if (!n.failed() && p != 1 && p != 2)
    n.fail("p is " + Twine(p) + "; known are 1 and 2");
  if (n.failed())
    return;
  Value norm = p == 1 ? n.sum(n.unary(UnaryKind::abs, x), {axis}, true)
                      : n.unary(UnaryKind::sqrt, n.sum(n.mul(x, x), {axis}, true));
  // A zero vector stays zero.
  Value isZero = n.compare(CompareKind::eq, norm, n.number(0, norm));
  n.output(0, n.div(x, n.select(isZero, n.number(1, norm), norm)));
}

void importMeanVarianceNormalization(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  SmallVector<int64_t> dims = n.axes(n.integers("axes", {0, 2, 3}), n.rank(x));
  Value mean = n.mean(x, dims, true);
  Value variance = n.sub(n.mean(n.mul(x, x), dims, true), n.mul(mean, mean));
  Value deviation = n.add(n.unary(UnaryKind::sqrt, variance), n.number(1e-9, x));
  n.output(0, n.div(n.sub(x, mean), deviation));
}

} // namespace

void registerNorm(OpTable &table) {
  // ONNX Runtime had these in ONNX's domain before ONNX did.
  table.add("LayerNormalization", importEarlyLayerNormalization, 1, 16);
  table.add("LayerNormalization", importLayerNormalization, 17);
  table.add("LpNormalization", importLpNormalization);
  table.add("MeanVarianceNormalization", importMeanVarianceNormalization, 9);
  table.add("RMSNormalization", importRmsNormalization, 23);
  table.add("SimplifiedLayerNormalization", importRmsNormalization);
  table.addTo(kMicrosoft, "EmbedLayerNormalization", importEmbedLayerNormalization);
  table.addTo(kMicrosoft, "LayerNormalization", importLayerNormalization);
  table.addTo(kMicrosoft, "SimplifiedLayerNormalization", importRmsNormalization);
  table.addTo(kMicrosoft, "SkipLayerNormalization", importSkipNormalization<false>);
  table.addTo(kMicrosoft, "SkipSimplifiedLayerNormalization", importSkipNormalization<true>);
}

} // namespace sheaf::onnx
