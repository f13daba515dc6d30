// Makes transposes between the two orders of a value's dims.
#include "passes/lowering/channels_last_values.h"

using namespace mlir;

namespace sheaf::lowering {

/// 0, 2, .., rank - 1, 1: dim i of the form with the channels last is this dim of the value.
static SmallVector<int64_t> toChannelsLast(int64_t rank) {
  SmallVector<int64_t> permutation = {0};
  llvm::append_range(permutation, llvm::seq<int64_t>(2, rank));
  permutation.push_back(1);
  return permutation;
}

/// 0, rank - 1, 1, ..: the inverse.
static SmallVector<int64_t> toChannelsSecond(int64_t rank) {
  SmallVector<int64_t> permutation = {0, rank - 1};
  llvm::append_range(permutation, llvm::seq<int64_t>(1, rank - 1));
  return permutation;
}

RankedTensorType ChannelsLastValues::typeOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape;
  for (int64_t dim : toChannelsLast(tensor.getRank()))
    shape.push_back(tensor.getDimSize(dim));
  return tensor.clone(shape);
}

Value ChannelsLastValues::transpose(OpBuilder &builder, Value value,
                                    ArrayRef<int64_t> permutation) {
  return graph::TransposeOp::create(builder, value.getLoc(), value, permutation);
}

Value ChannelsLastValues::getChannelsLast(OpBuilder &builder, Value value) {
  Value &channelsLast = channelsLastOf[value];
  if (!channelsLast)
    channelsLast = transpose(builder, value,
                             toChannelsLast(cast<RankedTensorType>(value.getType()).getRank()));
  return channelsLast;
}

Value ChannelsLastValues::getChannelsSecond(OpBuilder &builder, Value value) {
  if (!isReplaced(value))
    return value;
  Value &channelsSecond = channelsSecondOf[value];
  if (!channelsSecond)
    channelsSecond = transpose(builder, channelsLastOf.lookup(value),
                               toChannelsSecond(cast<RankedTensorType>(value.getType()).getRank()));
  return channelsSecond;
}

} // namespace sheaf::lowering
