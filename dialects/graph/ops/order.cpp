// Semantics of the ops that look at the order of elements along a dim, and of running combinations.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf::graph;

static LogicalResult checkDim(std::optional<Location> location, int64_t dim, int64_t rank) {
  if (dim < 0 || dim >= rank)
    return emitOptionalError(location, "dim ", dim, " is no dim of an operand of rank ", rank);
  return success();
}

LogicalResult ArgReduceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  int64_t dim = adaptor.getDim();
  if (adaptor.getKind() != ReduceKind::max && adaptor.getKind() != ReduceKind::min) // (C1)
    return emitOptionalError(location, "kind must be max or min, but is ",
                             stringifyReduceKind(adaptor.getKind()));
  if (failed(checkDim(location, dim, operand.getRank()))) // (C2)
    return failure();
  if (operand.getDimSize(dim) == 0)
    return emitOptionalError(location, "dim ", dim, " is empty and has no ",
                             stringifyReduceKind(adaptor.getKind()));
  SmallVector<int64_t> shape(operand.getShape());
  shape.erase(shape.begin() + dim);
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 64)));
  return success();
}

LogicalResult CumulativeOp::verify() {
  if (getKind() != ReduceKind::sum && getKind() != ReduceKind::prod) // (C1)
    return emitOpError("kind must be sum or prod, but is ") << stringifyReduceKind(getKind());
  return checkDim(getLoc(), getDim(), getOperand().getType().getRank()); // (C2)
}

LogicalResult SortOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  if (failed(checkDim(location, adaptor.getDim(), operand.getRank()))) // (C1)
    return failure();
  types.assign({operand, operand.clone(IntegerType::get(context, 64))});
  return success();
}

LogicalResult TopKOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  int64_t dim = adaptor.getDim(), k = adaptor.getK();
  if (failed(checkDim(location, dim, operand.getRank()))) // (C1)
    return failure();
  if (k < 0 || k > operand.getDimSize(dim))
    return emitOptionalError(location, "k (", k, ") must be in [0, ", operand.getDimSize(dim),
                             "], the extent of dim ", dim);
  SmallVector<int64_t> shape(operand.getShape());
  shape[dim] = k;
  RankedTensorType values = operand.clone(shape);
  types.assign({values, values.clone(IntegerType::get(context, 64))});
  return success();
}
