// Factor rules of softmax and the normalizations: what they take statistics over is needed whole.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/factor_letters.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

static FactorRule softmaxRule(RankedTensorType type, int64_t dim) {
  FactorRule::Tensor dims = FactorLetters().take(type.getRank());
  FactorRule rule{{dims}, {dims}};
  replicate(rule, dims[dim]);
  return rule;
}

FactorRule SoftmaxOp::getShardingRule() { return softmaxRule(getType(), getDim()); }
FactorRule LogSoftmaxOp::getShardingRule() { return softmaxRule(getType(), getDim()); }

/// The dims from `axis` on are those of each parameter.
static FactorRule rowNormRule(Operation *op, int64_t axis) {
  FactorRule::Tensor dims =
      FactorLetters().take(cast<RankedTensorType>(op->getOperand(0).getType()).getRank());
  FactorRule::Tensor row(dims.begin() + axis, dims.end());
  FactorRule rule{{dims}, {dims}};
  rule.operands.resize(op->getNumOperands(), row);
  for (const FactorRule::Dim &dim : row)
    replicate(rule, dim);
  return rule;
}

FactorRule LayerNormOp::getShardingRule() { return rowNormRule(*this, getAxis()); }
FactorRule RmsNormOp::getShardingRule() { return rowNormRule(*this, getAxis()); }

FactorRule BatchNormOp::getShardingRule() {
  FactorRule::Tensor dims = FactorLetters().take(getType().getRank()), channels{dims[1]};
  return {{dims, channels, channels, channels, channels}, {dims}};
}

/// Channels are cut by group; a group's channels and its space are needed whole.
FactorRule GroupNormOp::getShardingRule() {
  FactorLetters letters;
  FactorRule rule;
  FactorRule::Tensor dims = letters.take(getType().getRank());
  int64_t groups = getGroups(), perGroup = getType().getDimSize(1) / groups;
  if (groups == 1) {
    replicate(rule, dims[1]);
  } else if (perGroup > 1) {
    FactorRule::Dim member = letters.next();
    stateSize(rule, dims[1], groups);
    stateSize(rule, member, perGroup);
    replicate(rule, member);
    dims[1].append(member);
  }
  for (const FactorRule::Dim &dim : ArrayRef(dims).drop_front(2))
    replicate(rule, dim);
  FactorRule::Tensor channels{dims[1]};
  rule.operands = {dims, channels, channels};
  rule.results = {dims};
  return rule;
}
