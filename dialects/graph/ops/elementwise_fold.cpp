// Folds of elementwise ops.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf::graph;

OpFoldResult UnaryOp::fold(FoldAdaptor) {
  // abs, relu and the like applied twice are applied once.
  auto inner = getOperand().getDefiningOp<UnaryOp>();
  bool isIdempotent = llvm::is_contained({UnaryKind::abs, UnaryKind::sign, UnaryKind::floor,
                                          UnaryKind::ceil, UnaryKind::round, UnaryKind::relu},
                                         getKind());
  if (inner && isIdempotent && inner.getKind() == getKind())
    return inner.getResult();
  return nullptr;
}

OpFoldResult BinaryOp::fold(FoldAdaptor) {
  bool isIdempotent = llvm::is_contained(
      {BinaryKind::max, BinaryKind::min, BinaryKind::bitwise_and, BinaryKind::bitwise_or},
      getKind());
  return isIdempotent && getLhs() == getRhs() ? OpFoldResult(getLhs()) : nullptr;
}

OpFoldResult CompareOp::fold(FoldAdaptor) { return nullptr; }

OpFoldResult SelectOp::fold(FoldAdaptor) {
  return getOnTrue() == getOnFalse() ? OpFoldResult(getOnTrue()) : nullptr;
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getOperand().getType() == getType() ? OpFoldResult(getOperand()) : nullptr;
}
