// Factor rules of the ops that make tensors from nothing: what a rank can make a part of.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/factor_letters.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

static FactorRule anyPartRule(RankedTensorType type) {
  return {{}, {FactorLetters().take(type.getRank())}};
}

static FactorRule wholeRule(RankedTensorType type) {
  FactorRule rule = anyPartRule(type);
  for (const FactorRule::Dim &dim : rule.results[0])
    replicate(rule, dim);
  return rule;
}

FactorRule ConstantOp::getShardingRule() {
  return isa<SplatElementsAttr>(getValue()) ? anyPartRule(getType()) : wholeRule(getType());
}

/// A boolean that counts is no sum of where a part begins and the place in it.
FactorRule IotaOp::getShardingRule() {
  FactorRule rule = anyPartRule(getType());
  if (getType().getElementType().isInteger(1))
    replicate(rule, rule.results[0][getDim()]);
  return rule;
}

/// Element `i` depends on its row-major place in the whole tensor, which a part knows; a part of a part does not.
FactorRule RandomOp::getShardingRule() {
  FactorRule rule = getFirst() ? wholeRule(getType()) : anyPartRule(getType());
  rule.operands.resize(getNumOperands()); // Of no dims.
  return rule;
}
