// Pooling on local shards.
#include "dialects/graph/primitive_builder.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

namespace {

/// One pool at work, some of whose dims are windows.
class LocalPool {
public:
  LocalPool(PoolOp op, LocalShards &shards)
      : op(op), shards(shards), b(op.getLoc(), shards.builder()), low(op.getPaddingLow()),
        high(op.getPaddingHigh()) {
    for (size_t i = 0; i < low.size(); ++i)
      if (shards.isWindowed(0, i + 2)) {
        hasPaddedWindow |= low[i] != 0 || high[i] != 0;
        low[i] = high[i] = 0; // The window holds it.
      }
  }

  Value run() {
    if (op.getKind() == PoolKind::avg_exclude && hasPaddedWindow)
      return meanOfPresent();
    // Of sums and means that count padding, padding adds nothing.
    double fill = op.getKind() == PoolKind::max ? -std::numeric_limits<double>::infinity() : 0;
    return pool(op.getKind(), window(shards.operands()[0], fill));
  }

private:
  Value window(Value block, double fill) {
    auto type = cast<RankedTensorType>(block.getType());
    return shards.windowOf(0, block, b.splat(type.clone(ArrayRef<int64_t>()), fill));
  }

  Value pool(PoolKind kind, Value operand) {
    return PoolOp::create(b, kind, operand, op.getWindow(), op.getStrides(), low, high,
                          op.getDilations());
  }

  /// The sum, divided by how many elements of each window are no padding; 0 where there are none.
  Value meanOfPresent() {
    Type element = op.getType().getElementType();
    Value operand = b.cast(window(shards.operands()[0], 0), computeTypeOf(element));
    Value sum = pool(PoolKind::sum, operand);
    Value count = pool(PoolKind::sum, presence(cast<RankedTensorType>(operand.getType())));
    ArrayRef<int64_t> shape = cast<RankedTensorType>(sum.getType()).getShape();
    count = b.binary(BinaryKind::max, count, 1.0);
    Value counts = b.broadcast(count, shape, llvm::to_vector(llvm::seq<int64_t>(shape.size())));
    return b.cast(b.binary(BinaryKind::div, sum, counts), element);
  }

  /// 1 where the windowed operand, of type `windowed`, has an element and 0 where it has padding, for
  /// one channel of one example.
  Value presence(RankedTensorType windowed) {
    SmallVector<int64_t> shape(windowed.getShape());
    shape[0] = shape[1] = 1;
    RankedTensorType type = windowed.clone(shape);
    RankedTensorType counts = type.clone(b.getI64Type());
    Value present = b.splat(type, 1);
    for (size_t i = 0; i < low.size(); ++i) {
      unsigned dim = i + 2;
      if (!shards.isWindowed(0, dim))
        continue;
      Value first =
          b.binary(BinaryKind::mul, shards.resultBegin(0, dim), double(op.getStrides()[i]));
      Value place = b.binary(BinaryKind::add, IotaOp::create(b, counts, int64_t(dim)),
                             b.broadcast(first, shape, {}));
      double begin = double(op.getPaddingLow()[i]);
      double end = begin + double(op.getOperand().getType().getDimSize(dim));
      for (Value isInside : {b.compare(CompareKind::ge, place, b.splat(counts, begin)),
                             b.compare(CompareKind::lt, place, b.splat(counts, end))})
        present = b.select(isInside, present, b.splat(type, 0));
    }
    return present;
  }

  PoolOp op;
  LocalShards &shards;
  PrimitiveBuilder b;
  SmallVector<int64_t> low, high; ///< the padding that is left
  bool hasPaddedWindow = false;
};

} // namespace

FailureOr<SmallVector<Value>> PoolOp::localize(LocalShards &shards) {
  return SmallVector<Value>{LocalPool(*this, shards).run()};
}

/// How far the place of each element of `type`, a local result, is behind its place in the whole
/// `operand`, counted in planes: local plane `i * channels + j` is plane
/// `(batchBegin + i) * allChannels + channelBegin + j`.
static Value planesBefore(PrimitiveBuilder &b, LocalShards &shards, RankedTensorType operand,
                          RankedTensorType type) {
  auto scaled = [&](Value x, int64_t factor) {
    return b.binary(BinaryKind::mul, x, double(factor));
  };
  int64_t allChannels = operand.getDimSize(1);
  Value first = b.binary(BinaryKind::add, scaled(shards.resultBegin(1, 0), allChannels),
                         shards.resultBegin(1, 1));
  Value batch = IotaOp::create(b, type, 0);
  return b.binary(BinaryKind::add, scaled(batch, allChannels - type.getDimSize(1)),
                  b.broadcast(first, type.getShape(), {}));
}

/// The indices count in the whole operand.
FailureOr<SmallVector<Value>> PoolArgmaxOp::localize(LocalShards &shards) {
  PrimitiveBuilder b(getLoc(), shards.builder());
  auto local = PoolArgmaxOp::create(b, shards.resultTypes(), shards.operands(), getProperties());
  if (shards.numResultParts(1, 0) == 1 && shards.numResultParts(1, 1) == 1)
    return SmallVector<Value>(local.getResults());
  RankedTensorType operand = getOperand().getType();
  int64_t plane = 1;
  for (int64_t extent : operand.getShape().drop_front(2))
    plane *= extent;
  Value planes = planesBefore(b, shards, operand, local.getIndices().getType());
  Value indices = b.binary(BinaryKind::add, local.getIndices(),
                           b.binary(BinaryKind::mul, planes, double(plane)));
  return SmallVector<Value>{local.getValues(), indices};
}
