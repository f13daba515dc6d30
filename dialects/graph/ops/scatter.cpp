// Semantics of the ops that write elements to places given by data.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/element_indices.h"

using namespace mlir;
using namespace sheaf::graph;

/// (C2): the updates have the expected shape and the operand's element type.
static LogicalResult checkUpdates(std::optional<Location> location, RankedTensorType updates,
                                  RankedTensorType expected) {
  if (updates != expected)
    return emitOptionalError(location, "updates are of type ", updates, ", but must be of type ",
                             expected);
  return success();
}

LogicalResult ScatterElementsOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                  Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  auto updates = cast<RankedTensorType>(adaptor.getUpdates().getType());
  if (failed(checkElementIndices(location, operand, indices, adaptor.getDim()))) // (C1)
    return failure();
  types.push_back(operand);
  return checkUpdates(location, updates, operand.clone(indices.getShape())); // (C2)
}

LogicalResult ScatterNDOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  auto updates = cast<RankedTensorType>(adaptor.getUpdates().getType());
  if (indices.getRank() == 0)
    return emitOptionalError(location, "indices must have a last dim that holds the tuples");
  int64_t tuple = indices.getShape().back();
  if (tuple > operand.getRank()) // (C1)
    return emitOptionalError(location, "tuples of ", tuple,
                             " indices do not fit an operand of rank ", operand.getRank());
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(shape, operand.getShape().drop_front(tuple));
  types.push_back(operand);
  return checkUpdates(location, updates, operand.clone(shape)); // (C2)
}
