// Semantics of graph.reduce: shape and cost.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/op_cost.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  int64_t previous = -1;
  for (int64_t dim : adaptor.getDims()) {
    if (dim < 0 || dim >= operand.getRank()) // (C1)
      return emitOptionalError(location, "reduces dim ", dim, " of an operand of rank ",
                               operand.getRank());
    if (dim <= previous)
      return emitOptionalError(location, "dims must ascend, but ", dim, " follows ", previous);
    previous = dim;
  }
  bool isLogical = adaptor.getKind() == ReduceKind::any || adaptor.getKind() == ReduceKind::all;
  if (isLogical && !operand.getElementType().isInteger(1)) // (C2)
    return emitOptionalError(location, stringifyReduceKind(adaptor.getKind()),
                             " needs booleans, but the operand is of ", operand.getElementType());
  SmallVector<int64_t> shape;
  for (auto [dim, extent] : llvm::enumerate(operand.getShape()))
    if (!llvm::is_contained(adaptor.getDims(), int64_t(dim)))
      shape.push_back(extent);
  types.push_back(operand.clone(shape));
  return success();
}

Cost ReduceOp::getCost() { return costOf(*this, getOperand().getType().getNumElements()); }
