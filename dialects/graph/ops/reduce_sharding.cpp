// Factor rules of the ops that combine or order the elements along dims, and which let uncombined values pass.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/factor_letters.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

/// What a reduction makes of a cut dim. Ranks do not combine products.
static FactorKind kindOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::sum:
    return FactorKind::reduction;
  case ReduceKind::prod:
    return FactorKind::needReplication;
  case ReduceKind::max:
  case ReduceKind::any:
    return FactorKind::reductionMax;
  case ReduceKind::min:
  case ReduceKind::all:
    return FactorKind::reductionMin;
  }
  llvm_unreachable("a kind of reduction");
}

FactorRule ReduceOp::getShardingRule() {
  FactorRule rule;
  RankedTensorType type = getOperand().getType();
  FactorRule::Tensor operand = FactorLetters().take(type.getRank()), result;
  for (auto [dim, factor] : llvm::enumerate(operand)) {
    if (llvm::is_contained(getDims(), int64_t(dim)))
      stateKind(rule, factor, combinedKind(kindOf(getKind()), type.getElementType()));
    else
      result.push_back(factor);
  }
  rule.operands = {operand};
  rule.results = {result};
  return rule;
}

FactorRule ArgReduceOp::getShardingRule() {
  FactorRule::Tensor operand = FactorLetters().take(getOperand().getType().getRank());
  FactorRule::Tensor result = operand;
  result.erase(result.begin() + getDim());
  FactorRule rule{{operand}, {result}};
  replicate(rule, operand[getDim()]);
  return rule;
}

/// Every row along `dim` is needed whole; rows are independent.
static FactorRule rowRule(Operation *op, int64_t dim) {
  FactorRule::Tensor dims =
      FactorLetters().take(cast<RankedTensorType>(op->getOperand(0).getType()).getRank());
  FactorRule rule;
  rule.operands = {dims};
  rule.results.assign(op->getNumResults(), dims);
  replicate(rule, dims[dim]);
  return rule;
}

FactorRule CumulativeOp::getShardingRule() { return rowRule(*this, getDim()); }
FactorRule SortOp::getShardingRule() { return rowRule(*this, getDim()); }
FactorRule TopKOp::getShardingRule() { return rowRule(*this, getDim()); }

/// What is combined alike may be combined in any order.
static SmallVector<OperandSet> passingAlike(ReduceKind own, FactorKind kind) {
  return kindOf(own) == kind ? SmallVector<OperandSet>{{0}} : SmallVector<OperandSet>();
}

SmallVector<OperandSet> ReduceOp::getPartialOperands(FactorKind kind) {
  return passingAlike(getKind(), kind);
}
SmallVector<OperandSet> CumulativeOp::getPartialOperands(FactorKind kind) {
  return passingAlike(getKind(), kind);
}
