// Finds batch norms with running statistics and gives their clones those of the batch.
#include "passes/training/batch_statistics.h"

#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::training {
namespace {

/// Of ONNX, where the model says none.
constexpr double kDefaultMomentum = 0.9;

double momentumOf(BatchNormOp op) {
  auto given = op->getAttrOfType<FloatAttr>(kMomentum);
  return given ? given.getValueAsDouble() : kDefaultMomentum;
}

std::optional<unsigned> parameterOf(func::FuncOp model, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && model.getArgAttr(argument.getArgNumber(), kParameter))
    return argument.getArgNumber();
  return std::nullopt;
}

} // namespace

FailureOr<BatchStatistics> BatchStatistics::create(func::FuncOp model,
                                                   function_ref<bool(unsigned)> isFrozen) {
  BatchStatistics result;
  for (auto op : model.getOps<BatchNormOp>()) {
    std::optional<unsigned> mean = parameterOf(model, op.getMean());
    std::optional<unsigned> variance = parameterOf(model, op.getVariance());
    if (op.getMean().getDefiningOp<ConstantOp>() || op.getVariance().getDefiningOp<ConstantOp>())
      return op.emitError(
          "can't be trained: its mean or variance is a constant, which can't follow "
          "the batches; make both parameters of the model");
    if (!mean || !variance) // Computed: of the batch already.
      continue;
    if (isFrozen(*mean) != isFrozen(*variance))
      return op.emitError("has one frozen running statistic of two; freeze both, or none");
    if (isFrozen(*mean))
      continue;
    result.norms.push_back({op, *mean, *variance, momentumOf(op)});
    result.running.insert(*mean);
    result.running.insert(*variance);
  }
  return result;
}

void BatchStatistics::apply(const IRMapping &mapping, MutableArrayRef<Value> values) const {
  for (RunningNorm norm : norms) {
    auto clone = mapping.lookup(norm.op.getResult()).getDefiningOp<BatchNormOp>();
    OpBuilder builder(clone);
    PrimitiveBuilder b(clone.getLoc(), builder);
    auto follow = [&](unsigned argument, Value batch) {
      Value &value = values[llvm::find(running, argument) - running.begin()];
      Value of = b.cast(batch, typeOf(value).getElementType());
      value = b.binary(BinaryKind::add, b.binary(BinaryKind::mul, value, norm.momentum),
                       b.binary(BinaryKind::mul, of, 1.0 - norm.momentum));
    };
    Value x = clone.getOperand();
    x = b.cast(x, computeTypeOf(typeOf(x).getElementType()));
    SmallVector<int64_t> dims;
    for (int64_t dim : llvm::seq(typeOf(x).getRank()))
      if (dim != 1)
        dims.push_back(dim);
    Value mean = b.mean(x, dims);
    Value distance = b.binary(BinaryKind::sub, x, b.spread(mean, shapeOf(x), dims));
    Value variance = b.mean(b.binary(BinaryKind::mul, distance, distance), dims);
    clone.getMeanMutable().assign(mean);
    clone.getVarianceMutable().assign(variance);
    follow(norm.mean, mean);
    follow(norm.variance, variance);
  }
}

} // namespace sheaf::training
