// Normalizations by channel: batch, instance, group and local response norms.
#include "dialects/graph/graph.h"
#include "importers/onnx/node.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// A vector over channels, in the shape that broadcasts against `x`.
Value perChannel(Node &n, Value vector, Value x) {
  SmallVector<int64_t> shape(n.rank(x), 1);
  if (n.failed() || shape.size() < 2)
    return {};
  shape[1] = n.dim(x, 1);
  return n.reshape(vector, shape);
}

/// Training: statistics of the batch, and running ones mixed by `momentum`.
void importTrainingBatchNorm(Node &n, double epsilon, double momentum) {
  Value x = n.input(0), wide = n.cast(x, n.element(n.input(3)));
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < n.rank(x); ++dim)
    if (dim != 1)
      dims.push_back(dim);
  Value mean = n.mean(wide, dims);
  Value centered = n.sub(wide, perChannel(n, mean, wide));
  Value variance = n.mean(n.mul(centered, centered), dims);
  n.output(0, n.make<BatchNormOp>(x, n.input(1), n.input(2), mean, variance, APFloat(epsilon)));
  auto mix = [&](Value running, Value batch) {
    Value kept = n.mul(running, n.number(momentum, running));
    return n.add(kept, n.mul(batch, n.number(1 - momentum, batch)));
  };
  n.output(1, mix(n.input(3), mean));
  n.output(2, mix(n.input(4), variance));
}

void importBatchNormalization(Node &n) {
  n.expectInputs(5, 5);
  Value x = n.input(0);
  double epsilon = n.real("epsilon", 1e-5f), momentum = n.real("momentum", 0.9f);
  bool isTraining = n.integer("training_mode", 0) != 0;
  if (n.integer("spatial", 1) != 1)
    return n.fail("spatial = 0 is not supported");
  if (n.opset() < 7 && n.integer("is_test", 0) == 0)
    return n.fail("training mode of opsets before 14 is not supported");
  if (n.opset() < 14 && n.wants(1))
    return n.fail("training mode of opsets before 14 is not supported");
  if (!n.failed() && n.rank(x) < 2)
    return n.fail("the input has rank " + Twine(n.rank(x)) + ", it needs 2 or more");
  if (isTraining)
    return importTrainingBatchNorm(n, epsilon, momentum);
  Value result =
      n.make<BatchNormOp>(x, n.input(1), n.input(2), n.input(3), n.input(4), APFloat(epsilon));
  if (result)
    result.getDefiningOp()->setAttr(kMomentum,
                                    Builder(result.getContext()).getF64FloatAttr(momentum));
  n.output(0, result);
}

void importInstanceNormalization(Node &n) {
  n.expectInputs(3, 3);
  Value x = n.input(0);
  n.output(0, n.make<GroupNormOp>(x, n.input(1), n.input(2), n.dim(x, 1),
                                  APFloat(n.real("epsilon", 1e-5f))));
}

/// Opset 18: scale and bias per group; from 21 on per channel.
void importGroupNormalization(Node &n) {
  n.expectInputs(3, 3);
  Value x = n.input(0), scale = n.input(1), bias = n.input(2);
  int64_t groups = n.requiredInteger("num_groups"), channels = n.dim(x, 1);
  double epsilon = n.real("epsilon", 1e-5f);
  n.ignore("stash_type");
  if (!n.failed() && (groups <= 0 || channels % groups != 0))
    n.fail(Twine(channels) + " channels do not split into " + Twine(groups) + " groups");
  if (n.failed())
    return;
  auto spread = [&](Value vector) {
    if (n.opset() >= 21)
      return vector;
    return n.reshape(n.broadcastDims(vector, {groups, channels / groups}, {0}), {channels});
  };
  n.output(0, n.make<GroupNormOp>(x, spread(scale), spread(bias), groups, APFloat(epsilon)));
}

/// `x / (bias + alpha/size sum of squares over near channels)^beta`.
void importLRN(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  int64_t size = n.requiredInteger("size"), channels = n.dim(x, 1);
  double alpha = n.real("alpha", 0.0001f), beta = n.real("beta", 0.75f);
  double bias = n.real("bias", 1);
  if (!n.failed() && (size <= 0 || n.rank(x) < 2))
    n.fail("size is " + Twine(size) + " and the rank " + Twine(n.rank(x)));
  if (n.failed())
    return;
  int64_t low = std::min((size - 1) / 2, channels), high = std::min(size / 2, channels);
  SmallVector<int64_t> before(n.rank(x)), after(n.rank(x));
  before[1] = low;
  after[1] = high;
  Value padded = n.pad(n.mul(x, x), n.number(0, x), before, after), total;
  for (int64_t shift = 0; shift <= low + high; ++shift) {
    Value part = n.sliceDim(padded, 1, shift, shift + channels);
    total = total ? n.add(total, part) : part;
  }
  Value scaled = n.mul(total, n.number(alpha / static_cast<double>(size), x));
  Value base = n.add(scaled, n.number(bias, x));
  n.output(0, n.div(x, n.pow(base, n.number(beta, x))));
}

} // namespace

void registerChannelNorm(OpTable &table) {
  table.add("BatchNormalization", importBatchNormalization);
  table.add("GroupNormalization", importGroupNormalization, 18);
  table.add("InstanceNormalization", importInstanceNormalization);
  table.add("LRN", importLRN);
}

} // namespace sheaf::onnx
