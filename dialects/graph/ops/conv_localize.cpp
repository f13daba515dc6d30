// Convolutions and their gradients on local shards.
#include "dialects/graph/ops/window.h"
#include "dialects/graph/primitive_builder.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

/// The padding of the local convolution.
struct LocalPadding {
  SmallVector<int64_t> low, high;

  template <typename Op>
  explicit LocalPadding(Op op) : low(op.getPaddingLow()), high(op.getPaddingHigh()) {}

  /// None along windows: they hold it.
  void dropWindowed(LocalShards &shards) {
    for (size_t i = 0; i < low.size(); ++i)
      if (shards.isWindowed(0, i + 2))
        low[i] = high[i] = 0;
  }
};

/// What this rank's places need of operand 0, of which `block` is the rank's block, with zeros outside.
static Value windowWithZeros(LocalShards &shards, Location loc, Value block) {
  PrimitiveBuilder b(loc, shards.builder());
  auto type = cast<RankedTensorType>(block.getType());
  return shards.windowOf(0, block, b.splat(type.clone(ArrayRef<int64_t>()), 0));
}

/// The convolution or gradient on `operands`; a rank has the groups whose channels it has.
/// `input` and `filter` are the local types of those of the convolution.
template <typename Op>
static SmallVector<Value> localConvolution(Op op, LocalShards &shards, ValueRange operands,
                                           Type input, Type filter, const LocalPadding &padding) {
  OpBuilder &builder = shards.builder();
  typename Op::Properties properties = op.getProperties();
  properties.setPaddingLow(builder.getDenseI64ArrayAttr(padding.low));
  properties.setPaddingHigh(builder.getDenseI64ArrayAttr(padding.high));
  int64_t channels = cast<RankedTensorType>(input).getDimSize(1);
  if (int64_t perGroup = cast<RankedTensorType>(filter).getDimSize(1))
    properties.setGroups(builder.getI64IntegerAttr(channels / perGroup));
  return {Op::create(builder, op.getLoc(), shards.resultTypes(), operands, properties)};
}

FailureOr<SmallVector<Value>> ConvOp::localize(LocalShards &shards) {
  Value operands[] = {windowWithZeros(shards, getLoc(), shards.operandMasked(0, 1, 0)),
                      shards.operandMasked(1, 1, 0)};
  LocalPadding padding(*this);
  padding.dropWindowed(shards);
  return localConvolution(*this, shards, operands, operands[0].getType(), operands[1].getType(),
                          padding);
}

/// Along a window, the first place of the output that the part of the input reads is the local one's
/// first; padding makes up for where it lies.
FailureOr<SmallVector<Value>> ConvInputGradOp::localize(LocalShards &shards) {
  Value operands[] = {windowWithZeros(shards, getLoc(), shards.operandMasked(0, 1, 0)),
                      shards.operandMasked(1, 0, 0)};
  auto output = cast<RankedTensorType>(operands[0].getType());
  auto input = cast<RankedTensorType>(shards.resultTypes()[0]);
  Window window{getFilter().getType().getShape().drop_front(2), getStrides(), getPaddingLow(),
                getPaddingHigh(), getDilations()};
  LocalPadding padding(*this);
  for (int64_t i = 0; i + 2 < input.getRank(); ++i) {
    if (!shards.isWindowed(0, i + 2))
      continue;
    int64_t stride = window.strides[i];
    DimWindow seeing = window.seeing(i, getType().getDimSize(i + 2));
    padding.low[i] -= seeing.needed(0, 1).begin * stride;
    padding.high[i] = (output.getDimSize(i + 2) - 1) * stride + window.reach(i) -
                      input.getDimSize(i + 2) - padding.low[i];
  }
  return localConvolution(*this, shards, operands, input, operands[1].getType(), padding);
}

/// Sums over batch and space.
FailureOr<SmallVector<Value>> ConvFilterGradOp::localize(LocalShards &shards) {
  SmallVector<int64_t> summed{0};
  for (int64_t dim = 2; dim < getInput().getType().getRank(); ++dim)
    summed.push_back(dim);
  Value operands[] = {windowWithZeros(shards, getLoc(), shards.operandMasked(0, summed, 0)),
                      shards.operandMasked(1, summed, 0)};
  LocalPadding padding(*this);
  padding.dropWindowed(shards);
  return localConvolution(*this, shards, operands, operands[0].getType(), shards.resultTypes()[0],
                          padding);
}
