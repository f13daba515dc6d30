// Factor rules of elementwise ops: dim i of every tensor is factor i.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/factor_letters.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

namespace {

FactorRule pointwiseRule(Operation *op) {
  FactorRule::Tensor tensor =
      FactorLetters().take(cast<ShapedType>(op->getResult(0).getType()).getRank());
  FactorRule rule;
  rule.operands.assign(op->getNumOperands(), tensor);
  rule.results.assign(1, tensor);
  return rule;
}

} // namespace

FactorRule UnaryOp::getShardingRule() { return pointwiseRule(*this); }
FactorRule BinaryOp::getShardingRule() { return pointwiseRule(*this); }
FactorRule CompareOp::getShardingRule() { return pointwiseRule(*this); }
FactorRule SelectOp::getShardingRule() { return pointwiseRule(*this); }
FactorRule CastOp::getShardingRule() { return pointwiseRule(*this); }

FactorRule DropoutOp::getShardingRule() {
  FactorRule rule = pointwiseRule(*this);
  if (getCounter())
    rule.operands.back().clear();
  return rule;
}
