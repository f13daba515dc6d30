// Semantics of softmax and log_softmax.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/factor_letters.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

template <typename SoftmaxLikeOp> static LogicalResult verifySoftmax(SoftmaxLikeOp op) {
  int64_t rank = op.getOperand().getType().getRank();
  int64_t dim = op.getDim();
  if (dim < 0 || dim >= rank) // (C1)
    return op.emitOpError("dim ") << dim << " is no dim of an operand of rank " << rank;
  return success();
}

/// Every row is needed whole; rows are independent.
template <typename SoftmaxLikeOp> static FactorRule softmaxRule(SoftmaxLikeOp op) {
  FactorLetters letters;
  FactorRule rule;
  FactorRule::Tensor dims = letters.take(op.getOperand().getType().getRank());
  replicate(rule, dims[op.getDim()]);
  rule.operands = {dims};
  rule.results = {dims};
  return rule;
}

LogicalResult SoftmaxOp::verify() { return verifySoftmax(*this); }
FactorRule SoftmaxOp::getShardingRule() { return softmaxRule(*this); }

LogicalResult LogSoftmaxOp::verify() { return verifySoftmax(*this); }
FactorRule LogSoftmaxOp::getShardingRule() { return softmaxRule(*this); }
