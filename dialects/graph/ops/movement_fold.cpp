// Folds of movement ops.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf::graph;

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  return getOperand().getType() == getType() ? OpFoldResult(getOperand()) : nullptr;
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  bool isIdentity = llvm::equal(getPermutation(), llvm::seq<int64_t>(0, getType().getRank()));
  return isIdentity ? OpFoldResult(getOperand()) : nullptr;
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  return getOperand().getType() == getType() ? OpFoldResult(getOperand()) : nullptr;
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  return getOperand().getType() == getType() ? OpFoldResult(getOperand()) : nullptr;
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  return getOperand().getType() == getType() ? OpFoldResult(getOperand()) : nullptr;
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getOperands().size() == 1 ? OpFoldResult(getOperands().front()) : nullptr;
}

OpFoldResult ReverseOp::fold(FoldAdaptor) {
  bool isIdentity =
      llvm::all_of(getDims(), [&](int64_t dim) { return getType().getDimSize(dim) <= 1; });
  return isIdentity ? OpFoldResult(getOperand()) : nullptr;
}
