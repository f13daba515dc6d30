// FlexAttention: attention whose scores and weights pass through sub-graphs.
#include "importers/onnx/attention_form.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// `value` through the sub-graph of an attribute, if there is one.
Value modified(Node &n, llvm::StringRef attribute, Value value) {
  const auto *graph = n.subgraph(attribute);
  if (!graph || n.failed())
    return value;
  auto results = n.importSubgraph(*graph, value);
  if (!results)
    return {};
  if (results->size() != 1 || results->front().getType() != value.getType()) {
    n.fail(attribute + " does not give one tensor of the type it takes");
    return {};
  }
  return results->front();
}

void importFlexAttention(Node &n) {
  n.expectInputs(3, 3);
  AttentionForm form{n.input(0), n.input(1), n.input(2), {}, {}};
  Type precision = n.elementTypeAttribute("softmax_precision");
  if (!n.failed() && (n.rank(form.query) != 4 || n.rank(form.key) != 4 || n.rank(form.value) != 4))
    n.fail("Q, K and V must have rank 4");
  if (n.failed())
    return;
  double width = static_cast<double>(std::max<int64_t>(n.dim(form.query, 3), 1));
  form.scale = n.real("scale", 1 / std::sqrt(width));
  Type element = n.element(form.query);
  if (!precision)
    precision =
        element.getIntOrFloatBitWidth() < 32 ? Type(Float32Type::get(n.context())) : element;
  int64_t h = n.dim(form.query, 1), g = std::max<int64_t>(n.dim(form.key, 1), 1);
  if (h % g != 0)
    return n.fail(Twine(h) + " heads do not group over " + Twine(g) + " key heads");
  Value scores = n.cast(attentionScores(n, form, ScoreStage::raw), precision);
  scores = modified(n, "score_mod", scores);
  Value weights = modified(n, "prob_mod", n.make<SoftmaxOp>(scores, 3));
  SmallVector<int64_t> spread{n.dim(form.value, 0), g, h / g, n.dim(form.value, 2),
                              n.dim(form.value, 3)};
  Value values = n.reshape(n.broadcastDims(form.value, spread, {0, 1, 3, 4}),
                           {spread[0], h, spread[3], spread[4]});
  n.output(0, n.cast(n.matmul(weights, n.cast(values, precision)), n.element(form.value)));
}

} // namespace

void registerFlexAttention(OpTable &table) {
  table.addTo("ai.onnx.preview", "FlexAttention", importFlexAttention);
}

} // namespace sheaf::onnx
