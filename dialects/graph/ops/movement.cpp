// Movement ops: verifiers and shape functions.
#include "dialects/graph/graph.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Checks that a per-dim list has one entry per dim.
LogicalResult verifyPerDim(std::optional<Location> loc, StringRef what, ArrayRef<int64_t> list,
                           int64_t rank) {
  if (int64_t(list.size()) == rank)
    return success();
  return emitOptionalError(loc, what, " has ", list.size(), " entries for a tensor of rank ", rank);
}

} // namespace

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getOperand().getType(), to = getType();
  if (from.getElementType() != to.getElementType()) // (C1)
    return emitOpError("changes the element type from ")
           << from.getElementType() << " to " << to.getElementType() << "; use graph.cast";
  if (from.getNumElements() != to.getNumElements()) // (C1)
    return emitOpError("operand has ")
           << from.getNumElements() << " elements, result " << to.getNumElements();
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  RankedTensorType from = tensorOf(adaptor.getOperand());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (failed(verifyPerDim(loc, "permutation", permutation,
                          from.getRank()))) // (C1)
    return failure();
  llvm::SmallBitVector seen(from.getRank());
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation) {
    if (dim < 0 || dim >= from.getRank() || seen[dim]) // (C1)
      return emitOptionalError(loc, "permutation entry ", dim,
                               " is repeated or not a dim of a tensor of rank ", from.getRank());
    seen.set(dim);
    shape.push_back(from.getDimSize(dim));
  }
  types.push_back(from.clone(shape));
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = getOperand().getType(), to = getType();
  ArrayRef<int64_t> dims = getDims();
  if (from.getElementType() != to.getElementType()) // (C3)
    return emitOpError("changes the element type from ")
           << from.getElementType() << " to " << to.getElementType() << "; use graph.cast";
  if (int64_t(dims.size()) != from.getRank()) // (C1)
    return emitOpError("dims has ")
           << dims.size() << " entries for an operand of rank " << from.getRank();
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= to.getRank()) // (C1)
      return emitOpError("dims entry ")
             << dim << " is not a dim of a result of rank " << to.getRank();
    if (index != 0 && dim <= dims[index - 1]) // (C1)
      return emitOpError("dims entry ")
             << dim << " follows " << dims[index - 1] << "; dims must ascend";
    int64_t extent = from.getDimSize(index);
    if (extent != 1 && extent != to.getDimSize(dim)) // (C2)
      return emitOpError("operand dim ") << index << " (" << extent << ") must be 1 or result dim "
                                         << dim << " (" << to.getDimSize(dim) << ")";
  }
  return success();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  RankedTensorType from = tensorOf(adaptor.getOperand());
  ArrayRef<int64_t> starts = adaptor.getStarts(), limits = adaptor.getLimits(),
                    strides = adaptor.getStrides();
  if (failed(verifyPerDim(loc, "starts", starts, from.getRank())) || // (C1)
      failed(verifyPerDim(loc, "limits", limits, from.getRank())) ||
      failed(verifyPerDim(loc, "strides", strides, from.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    int64_t start = starts[dim], limit = limits[dim], extent = from.getDimSize(dim);
    if (start < 0 || start > limit || limit > extent) // (C1)
      return emitOptionalError(loc, "dim ", dim, " goes from ", start, " to ", limit,
                               ", which is not a range in its extent ", extent);
    if (strides[dim] <= 0) // (C1)
      return emitOptionalError(loc, "stride ", strides[dim], " of dim ", dim, " is not positive");
    int64_t length = limit - start;
    shape.push_back(length / strides[dim] + (length % strides[dim] != 0));
  }
  types.push_back(from.clone(shape));
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  RankedTensorType from = tensorOf(adaptor.getOperand());
  RankedTensorType value = tensorOf(adaptor.getValue());
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh();
  if (value != RankedTensorType::get({}, from.getElementType())) // (C2)
    return emitOptionalError(loc, "value of type ", value, " must be of rank 0 and element type ",
                             from.getElementType());
  if (failed(verifyPerDim(loc, "low", low, from.getRank())) || // (C1)
      failed(verifyPerDim(loc, "high", high, from.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    int64_t extent = from.getDimSize(dim);
    if (low[dim] < 0 || high[dim] < 0 || llvm::AddOverflow(extent, low[dim], extent) ||
        llvm::AddOverflow(extent, high[dim], extent)) // (C1)
      return emitOptionalError(loc, "dim ", dim, " is padded by ", low[dim], " and ", high[dim],
                               ", which is negative or overflows");
    shape.push_back(extent);
  }
  types.push_back(from.clone(shape));
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (adaptor.getOperands().empty()) // (C3)
    return emitOptionalError(loc, "there is nothing to put together: no operands");
  RankedTensorType first = tensorOf(adaptor.getOperands().front());
  int64_t dim = adaptor.getDim();
  if (dim < 0 || dim >= first.getRank()) // (C1)
    return emitOptionalError(loc, "dim ", dim, " is not a dim of a tensor of rank ",
                             first.getRank());
  int64_t total = 0;
  for (auto [index, operand] : llvm::enumerate(adaptor.getOperands())) {
    RankedTensorType type = tensorOf(operand);
    SmallVector<int64_t> like(type.getShape());
    if (type.getRank() == first.getRank())
      like[dim] = first.getDimSize(dim);
    if (type.clone(like) != first) // (C2)
      return emitOptionalError(loc, "operand ", index, " of type ", type, " differs from ", first,
                               " in more than dim ", dim);
    if (llvm::AddOverflow(total, type.getDimSize(dim), total))
      return emitOptionalError(loc, "the sum of the extents of dim ", dim, " overflows");
  }
  SmallVector<int64_t> shape(first.getShape());
  shape[dim] = total;
  types.push_back(first.clone(shape));
  return success();
}

LogicalResult ReverseOp::verify() {
  int64_t rank = getType().getRank();
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : getDims()) {
    if (dim < 0 || dim >= rank || seen[dim]) // (C1)
      return emitOpError("dim ") << dim << " is repeated or not a dim of a tensor of rank " << rank;
    seen.set(dim);
  }
  return success();
}
