// Factor rules of movement ops.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

namespace {

/// Gives out factors; past the last letter it gives none, so those dims are
/// never sharded.
class FactorNames {
public:
  /// Adds one fresh factor to every dim given.
  void share(std::initializer_list<FactorRule::Dim *> dims) {
    if (used == FactorRule::kMaxFactors)
      return;
    for (FactorRule::Dim *dim : dims)
      dim->push_back(FactorRule::nameOf(used));
    ++used;
  }

private:
  int64_t used = 0;
};

} // namespace

FactorRule TransposeOp::getShardingRule() {
  FactorRule::Tensor from(getType().getRank()), to(getType().getRank());
  FactorNames names;
  for (auto [index, dim] : llvm::enumerate(getPermutation()))
    names.share({&from[dim], &to[index]});
  return {{from}, {to}, {}};
}

FactorRule BroadcastOp::getShardingRule() {
  RankedTensorType operand = getOperand().getType();
  FactorRule::Tensor from(operand.getRank()), to(getType().getRank());
  FactorNames names;
  SmallVector<FactorRule::Dim *> source(to.size());
  for (auto [index, dim] : llvm::enumerate(getDims()))
    if (operand.getDimSize(index) == getType().getDimSize(dim))
      source[dim] = &from[index];
  for (auto [index, dim] : llvm::enumerate(to)) {
    if (source[index])
      names.share({source[index], &dim});
    else
      names.share({&dim});
  }
  return {{from}, {to}, {}};
}

/// Walks both shapes from the left. Equal products close a group; inside it
/// each step takes the common part of what is left of the two dims, the
/// outermost first, as one factor. When one part does not divide the other the
/// rest of the group has no factor.
FactorRule ReshapeOp::getShardingRule() {
  ArrayRef<int64_t> fromShape = getOperand().getType().getShape(), toShape = getType().getShape();
  FactorRule::Tensor from(fromShape.size()), to(toShape.size());
  if (llvm::is_contained(fromShape, 0))
    return {{from}, {to}, {}};
  FactorNames names;
  size_t i = 0, j = 0;
  int64_t left = 1, right = 1; // What is left of dim i - 1 of the operand, j -
                               // 1 of the result.
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
    names.share({&from[i - 1], &to[j - 1]});
    left /= common;
    right /= common;
  }
}
