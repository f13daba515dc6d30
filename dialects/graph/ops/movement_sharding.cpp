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
  return {{from}, {to}, {}};
}

FactorRule BroadcastOp::getShardingRule() {
  FactorLetters letters;
  FactorRule::Tensor to = letters.take(getType().getRank()), from;
  for (auto [index, dim] : llvm::enumerate(getDims())) {
    bool isRepeated = getOperand().getType().getDimSize(index) != getType().getDimSize(dim);
    from.push_back(isRepeated ? FactorRule::Dim() : to[dim]);
  }
  return {{from}, {to}, {}};
}

/// Walks both shapes from the left: each step takes the common part of what is left of the two
/// dims, the outermost first, as one factor. Where neither divides the other, the rest has none.
FactorRule ReshapeOp::getShardingRule() {
  ArrayRef<int64_t> fromShape = getOperand().getType().getShape(), toShape = getType().getShape();
  FactorRule::Tensor from(fromShape.size()), to(toShape.size());
  if (llvm::is_contained(fromShape, 0))
    return {{from}, {to}, {}};
  FactorLetters letters;
  size_t i = 0, j = 0;
  int64_t left = 1, right = 1; // What is left of operand dim i - 1 and of result dim j - 1.
  while (true) {
    while (left == 1 && i < fromShape.size())
      left = fromShape[i++];
    while (right == 1 && j < toShape.size())
      right = toShape[j++];
    if (left == 1 || right == 1)
      return {{from}, {to}, {}};
    int64_t common = std::min(left, right);
    if (left % common != 0 || right % common != 0)
      return {{from}, {to}, {}};
    FactorRule::Dim factor = letters.next();
    from[i - 1].append(factor);
    to[j - 1].append(factor);
    left /= common;
    right /= common;
  }
}
