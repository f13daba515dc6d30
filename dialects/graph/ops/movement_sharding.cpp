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

FactorRule PadOp::getShardingRule() {
  FactorRule::Tensor dims = FactorLetters().take(getType().getRank());
  FactorRule rule{{dims, {}}, {dims}};
  for (auto [dim, low, high] : llvm::zip_equal(dims, getLow(), getHigh()))
    if (low != 0 || high != 0)
      stateKind(rule, dim, FactorKind::permutation);
  return rule;
}

FactorRule ConcatOp::getShardingRule() {
  FactorRule::Tensor dims = FactorLetters().take(getType().getRank());
  FactorRule rule;
  rule.operands.assign(getOperands().size(), dims);
  rule.results = {dims};
  replicate(rule, dims[getDim()]);
  return rule;
}

FactorRule ReverseOp::getShardingRule() {
  FactorRule::Tensor dims = FactorLetters().take(getType().getRank());
  FactorRule rule{{dims}, {dims}};
  for (int64_t dim : getDims())
    stateKind(rule, dims[dim], FactorKind::permutation);
  return rule;
}
