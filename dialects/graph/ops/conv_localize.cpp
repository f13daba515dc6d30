// Convolutions and pooling on local shards.
#include "dialects/graph/primitive_builder.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

/// The convolution or gradient on `operands`; a rank has the groups whose channels it has.
/// `input` and `filter` are the local types of those of the convolution.
template <typename Op>
static SmallVector<Value> localConvolution(Op op, LocalShards &shards, ValueRange operands,
                                           Type input, Type filter) {
  typename Op::Properties properties = op.getProperties();
  int64_t channels = cast<RankedTensorType>(input).getDimSize(1);
  if (int64_t perGroup = cast<RankedTensorType>(filter).getDimSize(1))
    properties.setGroups(shards.builder().getI64IntegerAttr(channels / perGroup));
  return {Op::create(shards.builder(), op.getLoc(), shards.resultTypes(), operands, properties)};
}

FailureOr<SmallVector<Value>> ConvOp::localize(LocalShards &shards) {
  Value operands[] = {shards.operandMasked(0, 1, 0), shards.operandMasked(1, 1, 0)};
  return localConvolution(*this, shards, operands, operands[0].getType(), operands[1].getType());
}

FailureOr<SmallVector<Value>> ConvInputGradOp::localize(LocalShards &shards) {
  Value operands[] = {shards.operandMasked(0, 1, 0), shards.operandMasked(1, 0, 0)};
  return localConvolution(*this, shards, operands, shards.resultTypes()[0], operands[1].getType());
}

/// Sums over batch and space.
FailureOr<SmallVector<Value>> ConvFilterGradOp::localize(LocalShards &shards) {
  SmallVector<int64_t> summed{0};
  for (int64_t dim = 2; dim < getInput().getType().getRank(); ++dim)
    summed.push_back(dim);
  Value operands[] = {shards.operandMasked(0, summed, 0), shards.operandMasked(1, summed, 0)};
  return localConvolution(*this, shards, operands, operands[0].getType(), shards.resultTypes()[0]);
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
