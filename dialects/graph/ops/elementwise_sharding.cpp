// Factor rules of elementwise ops: dim i of every tensor is factor i.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

namespace {

/// Dims past the last letter have no factor, so they are never sharded.
FactorRule pointwiseRule(Operation *op) {
  FactorRule::Tensor tensor(cast<ShapedType>(op->getResult(0).getType()).getRank());
  for (auto [index, dim] : llvm::enumerate(tensor))
    if (int64_t(index) < FactorRule::kMaxFactors)
      dim.push_back(FactorRule::nameOf(index));
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
