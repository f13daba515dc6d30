// Semantics of the ops that take elements from places given by data.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/element_indices.h"

using namespace mlir;
using namespace sheaf::graph;

/// The first `batchDims` extents of operand and indices are equal.
static LogicalResult checkBatch(std::optional<Location> location, RankedTensorType operand,
                                RankedTensorType indices, int64_t batchDims) {
  for (int64_t d = 0; d < batchDims; ++d)
    if (operand.getDimSize(d) != indices.getDimSize(d))
      return emitOptionalError(location, "batch dim ", d, " of the operand (",
                               operand.getDimSize(d), ") and of the indices (",
                               indices.getDimSize(d), ") must be equal");
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  int64_t dim = adaptor.getDim(), batchDims = adaptor.getBatchDims();
  if (batchDims < 0 || batchDims > dim || dim >= operand.getRank() ||
      batchDims > indices.getRank()) // (C1)
    return emitOptionalError(location, "batch dims (", batchDims, ") and dim (", dim,
                             ") do not fit an operand of rank ", operand.getRank(),
                             " and indices of rank ", indices.getRank());
  if (failed(checkBatch(location, operand, indices, batchDims))) // (C2)
    return failure();
  SmallVector<int64_t> shape(operand.getShape().take_front(dim));
  llvm::append_range(shape, indices.getShape().drop_front(batchDims));
  llvm::append_range(shape, operand.getShape().drop_front(dim + 1));
  types.push_back(operand.clone(shape));
  return success();
}

LogicalResult GatherElementsOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                 Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  if (failed(checkElementIndices(location, operand, indices, adaptor.getDim()))) // (C1), (C2)
    return failure();
  types.push_back(operand.clone(indices.getShape()));
  return success();
}

LogicalResult GatherNDOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  int64_t batchDims = adaptor.getBatchDims();
  if (batchDims < 0 || batchDims >= operand.getRank() || batchDims >= indices.getRank()) // (C1)
    return emitOptionalError(location, "batch dims (", batchDims,
                             ") must be less than the ranks of operand (", operand.getRank(),
                             ") and indices (", indices.getRank(), ")");
  if (failed(checkBatch(location, operand, indices, batchDims)))
    return failure();
  int64_t tuple = indices.getShape().back();
  if (batchDims + tuple > operand.getRank()) // (C2)
    return emitOptionalError(location, "tuples of ", tuple, " indices after ", batchDims,
                             " batch dims do not fit an operand of rank ", operand.getRank());
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(shape, operand.getShape().drop_front(batchDims + tuple));
  types.push_back(operand.clone(shape));
  return success();
}
