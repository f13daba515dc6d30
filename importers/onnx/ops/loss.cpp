// Losses: negative log likelihood and softmax cross entropy.
#include "importers/onnx/node.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// `-weight[label] logProb[label]` of each row of `[b, c, d..]`, reduced as asked.
Value lossOf(Node &n, Value logProb, Value labels, Value weights) {
  std::string reduction = n.string("reduction", "mean");
  auto ignored = n.maybeInteger("ignore_index");
  n.expectChoice("reduction", reduction, {"none", "sum", "mean"});
  if (!n.failed() && (n.rank(logProb) < 2 || n.rank(labels) != n.rank(logProb) - 1))
    n.fail("scores of rank " + Twine(n.rank(logProb)) + " do not fit labels of rank " +
           Twine(n.rank(labels)));
  if (n.failed())
    return {};
  Type labelType = n.element(labels);
  Value isIgnored, safe = labels;
  if (ignored) {
    Value index = n.reshape(n.cast(n.ints({*ignored}), labelType), {});
    isIgnored = n.compare(CompareKind::eq, labels, index);
    safe = n.select(isIgnored, n.number(0, labels), labels);
  }
  Value picked = n.make<GatherElementsOp>(logProb, n.unsqueeze(safe, {1}), 1);
  Value loss = n.neg(n.squeeze(picked, {1})), weight;
  if (weights)
    weight = n.gather(weights, safe, 0);
  if (isIgnored) {
    Value one = n.number(1, loss), zero = n.number(0, loss);
    weight = n.select(isIgnored, zero, weight ? weight : one);
    if (n.rank(weight) != n.rank(loss))
      weight = n.broadcast(weight, n.shape(loss));
    loss = n.select(isIgnored, zero, loss);
  }
  if (weight)
    loss = n.mul(loss, weight);
  if (reduction == "none")
    return loss;
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, n.rank(loss)));
  if (reduction == "sum")
    return n.sum(loss, dims);
  return weight ? n.div(n.sum(loss, dims), n.sum(weight, dims)) : n.mean(loss, dims);
}

void importNegativeLogLikelihoodLoss(Node &n) {
  n.expectInputs(2, 3);
  n.output(0, lossOf(n, n.input(0), n.input(1), n.optional(2)));
}

void importSoftmaxCrossEntropyLoss(Node &n) {
  n.expectInputs(2, 3);
  Value logProb = n.make<LogSoftmaxOp>(n.input(0), 1);
  n.output(0, lossOf(n, logProb, n.input(1), n.optional(2)));
  n.output(1, logProb);
}

/// ONNX Runtime's training form: the ignored index is an operand.
void importSoftmaxCrossEntropyLossInternal(Node &n) {
  n.expectInputs(2, 4);
  if (n.has(3))
    return n.fail("an operand for the ignored index is not supported");
  n.ignore("output_type");
  Value logProb = n.make<LogSoftmaxOp>(n.input(0), 1);
  n.output(0, lossOf(n, logProb, n.input(1), n.optional(2)));
  n.output(1, logProb);
}

} // namespace

void registerLoss(OpTable &table) {
  table.add("NegativeLogLikelihoodLoss", importNegativeLogLikelihoodLoss, 12);
  table.add("SoftmaxCrossEntropyLoss", importSoftmaxCrossEntropyLoss, 12);
  table.addTo(kMicrosoft, "SoftmaxCrossEntropyLossInternal", importSoftmaxCrossEntropyLossInternal);
}

} // namespace sheaf::onnx
