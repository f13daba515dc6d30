// Semantics of pooling: shapes and cost.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/op_cost.h"
#include "dialects/graph/ops/window.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

template <typename Adaptor>
static FailureOr<RankedTensorType> pooledType(std::optional<Location> location, Adaptor adaptor) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  Window window{adaptor.getWindow(), adaptor.getStrides(), adaptor.getPaddingLow(),
                adaptor.getPaddingHigh(), adaptor.getDilations()};
  if (operand.getRank() < 3)
    return emitOptionalError(location,
                             "operand must have a batch, a channel and spatial dims, but "
                             "has rank ",
                             operand.getRank());
  if (failed(window.check(location, operand.getRank() - 2))) // (C1)
    return failure();
  for (int64_t padding : llvm::concat<const int64_t>(window.paddingLow, window.paddingHigh))
    if (padding < 0) // (C2)
      return emitOptionalError(location, "padding ", padding, " must not be negative");
  SmallVector<int64_t> shape(operand.getShape().take_front(2));
  for (auto [i, extent] : llvm::enumerate(window.places(operand.getShape().drop_front(2)))) {
    if (extent < 1) // (C3)
      return emitOptionalError(
          location, "the window of spatial dim ", i, " (", window.extents[i], ", dilation ",
          window.dilations[i], ") is larger than the padded operand (",
          operand.getDimSize(i + 2) + window.paddingLow[i] + window.paddingHigh[i], ")");
    shape.push_back(extent);
  }
  return RankedTensorType::get(shape, operand.getElementType());
}

LogicalResult PoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type = pooledType(location, adaptor);
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

Cost PoolOp::getCost() {
  int64_t flops = getResult().getType().getNumElements();
  for (int64_t extent : getWindow())
    flops *= extent;
  return costOf(*this, flops);
}

LogicalResult PoolArgmaxOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                             Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type = pooledType(location, adaptor);
  if (failed(type))
    return failure();
  types.assign({*type, type->clone(IntegerType::get(context, 64))});
  return success();
}
