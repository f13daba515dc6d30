// Factor rules of movement ops.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/factor_letters.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

FactorRule TransposeOp::getShardingRule() {
  FactorLetters letters;
  FactorRule::Tensor from = letters.take(getType().getRank()), to;
  for (int64_t dim : getPermutation())
    to.push_back(from[dim]);
  return {{from}, {to}};
}

FactorRule BroadcastOp::getShardingRule() {
  FactorLetters letters;
  FactorRule::Tensor to = letters.take(getType().getRank()), from;
  for (auto [index, dim] : llvm::enumerate(getDims())) {
    bool isRepeated = getOperand().getType().getDimSize(index) != getType().getDimSize(dim);
    from.push_back(isRepeated ? FactorRule::Dim() : to[dim]);
  }
  return {{from}, {to}};
}

/// The size of the factor of a sliced dim is that of the operand, so that no axis is too large for a
/// slice of one element.
FactorRule SliceOp::getShardingRule() {
  RankedTensorType from = getOperand().getType(), to = getType();
  FactorRule::Tensor dims = FactorLetters().take(from.getRank());
  FactorRule rule{{dims}, {dims}};
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    if (from.getDimSize(dim) == to.getDimSize(dim))
      continue; // The whole dim.
    stateKind(rule, dims[dim], FactorKind::permutation);
    stateSize(rule, dims[dim], from.getDimSize(dim));
  }
  return rule;
}

/// A window of one element: place q is element `scale` q + `offset`.
static OperandWindow picked(unsigned operand, int64_t dim, int64_t numPlaces, int64_t scale,
                            int64_t offset) {
  return {operand, unsigned(dim), {numPlaces, scale, /*divisor=*/1, offset, offset}};
}

SmallVector<OperandWindow> SliceOp::getOperandWindows() {
  SmallVector<OperandWindow> windows;
  for (int64_t dim = 0; dim < getType().getRank(); ++dim)
    if (int64_t extent = getType().getDimSize(dim);
        extent != getOperand().getType().getDimSize(dim))
      windows.push_back(picked(0, dim, extent, getStrides()[dim], getStarts()[dim]));
  return windows;
}

FactorRule PadOp::getShardingRule() {
  FactorRule::Tensor dims = FactorLetters().take(getType().getRank());
  FactorRule rule{{dims, {}}, {dims}};
  for (auto [dim, low, high] : llvm::zip_equal(dims, getLow(), getHigh()))
    if (low != 0 || high != 0)
      stateKind(rule, dim, FactorKind::permutation);
  return rule;
}

SmallVector<OperandWindow> PadOp::getOperandWindows() {
  SmallVector<OperandWindow> windows;
  for (int64_t dim = 0; dim < getType().getRank(); ++dim)
    if (getLow()[dim] != 0 || getHigh()[dim] != 0)
      windows.push_back(picked(0, dim, getType().getDimSize(dim), 1, -getLow()[dim]));
  return windows;
}

/// The local form chooses between elements of several operands.
static bool canChoose(ConcatOp op) { return Emitter::canCompute(op.getType().getElementType()); }

FactorRule ConcatOp::getShardingRule() {
  FactorRule::Tensor dims = FactorLetters().take(getType().getRank());
  FactorRule rule;
  rule.operands.assign(getOperands().size(), dims);
  rule.results = {dims};
  stateKind(rule, dims[getDim()],
            canChoose(*this) ? FactorKind::permutation : FactorKind::needReplication);
  return rule;
}

SmallVector<OperandWindow> ConcatOp::getOperandWindows() {
  SmallVector<OperandWindow> windows;
  if (!canChoose(*this))
    return windows;
  int64_t offset = 0, numPlaces = getType().getDimSize(getDim());
  for (auto [index, operand] : llvm::enumerate(getOperands())) {
    windows.push_back(picked(index, getDim(), numPlaces, 1, -offset));
    offset += cast<RankedTensorType>(operand.getType()).getDimSize(getDim());
  }
  return windows;
}

FactorRule ReverseOp::getShardingRule() {
  FactorRule::Tensor dims = FactorLetters().take(getType().getRank());
  FactorRule rule{{dims}, {dims}};
  for (int64_t dim : getDims())
    stateKind(rule, dims[dim], FactorKind::permutation);
  return rule;
}

SmallVector<OperandWindow> ReverseOp::getOperandWindows() {
  SmallVector<OperandWindow> windows;
  for (int64_t dim : getDims())
    windows.push_back(picked(0, dim, getType().getDimSize(dim), -1, getType().getDimSize(dim) - 1));
  return windows;
}
