// Factor rules of the ops that move elements to or from places given by data.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/factor_letters.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

namespace {

using Dims = FactorRule::Tensor;

/// What a gather gives where its table is cut: an element is found in one part, the others give zero.
FactorKind kindOfFound(Type element) {
  return combinedKind(element.isInteger(1) ? FactorKind::reductionMax : FactorKind::reduction,
                      element);
}

/// What a scatter gives when its updates are cut. The order of the updates counts for `set`; ranks do
/// not combine products.
FactorKind kindOf(ScatterKind kind) {
  switch (kind) {
  case ScatterKind::add:
    return FactorKind::reduction;
  case ScatterKind::max:
    return FactorKind::reductionMax;
  case ScatterKind::min:
    return FactorKind::reductionMin;
  case ScatterKind::set:
  case ScatterKind::mul:
    return FactorKind::needReplication;
  }
  llvm_unreachable("a kind of scatter");
}

/// States the kind of a dim of the updates. One rank adds the operand to its part of them, so there
/// must be one that has the first.
void setUpdateKind(FactorRule &rule, const FactorRule::Dim &dim, ScatterKind kind,
                   RankedTensorType updates, int64_t index) {
  stateKind(rule, dim,
            updates.getDimSize(index) == 0 ? FactorKind::needReplication
                                           : combinedKind(kindOf(kind), updates.getElementType()));
}

/// States that a dim of the operand that `set` writes to is not cut when it has one element: a part
/// needs an index that is out of range of the whole dim and of the part with a place for what other
/// ranks write.
void setTargetKind(FactorRule &rule, const FactorRule::Dim &dim, ScatterKind kind, int64_t extent) {
  if (kind == ScatterKind::set && extent == 1)
    replicate(rule, dim);
}

/// The factors of the places that an op with one index per element goes through: the operand's dims,
/// of which the indices may use a part, that of dim `dim` in the operand, and that in the indices.
struct ElementFactors {
  Dims operand, indices;

  ElementFactors(FactorRule &rule, RankedTensorType operandType, RankedTensorType indicesType,
                 int64_t dim) {
    FactorLetters letters;
    operand = indices = letters.take(operandType.getRank());
    indices[dim] = letters.next();
    for (int64_t d = 0; d < operandType.getRank(); ++d)
      if (d != dim && operandType.getDimSize(d) != indicesType.getDimSize(d))
        replicate(rule, operand[d]);
  }
};

} // namespace

FactorRule GatherOp::getShardingRule() {
  FactorLetters letters;
  int64_t dim = getDim(), batchDims = getBatchDims();
  Dims operand = letters.take(getOperand().getType().getRank());
  Dims indices(operand.begin(), operand.begin() + batchDims);
  indices.append(letters.take(getIndices().getType().getRank() - batchDims));
  Dims result(operand.begin(), operand.begin() + dim);
  result.append(indices.begin() + batchDims, indices.end());
  result.append(operand.begin() + dim + 1, operand.end());
  FactorRule rule{{operand, indices}, {result}};
  stateKind(rule, operand[dim], kindOfFound(getType().getElementType()));
  return rule;
}

FactorRule GatherElementsOp::getShardingRule() {
  FactorRule rule;
  ElementFactors factors(rule, getOperand().getType(), getIndices().getType(), getDim());
  rule.operands = {factors.operand, factors.indices};
  rule.results = {factors.indices};
  stateKind(rule, factors.operand[getDim()], kindOfFound(getType().getElementType()));
  return rule;
}

FactorRule GatherNDOp::getShardingRule() {
  FactorLetters letters;
  FactorRule rule;
  int64_t batchDims = getBatchDims(), tuple = getIndices().getType().getShape().back();
  Dims operand = letters.take(getOperand().getType().getRank());
  Dims indices(operand.begin(), operand.begin() + batchDims);
  indices.append(letters.take(getIndices().getType().getRank() - batchDims));
  Dims result(indices.begin(), indices.end() - 1);
  result.append(operand.begin() + batchDims + tuple, operand.end());
  for (const FactorRule::Dim &dim : ArrayRef(operand).slice(batchDims, tuple))
    stateKind(rule, dim, kindOfFound(getType().getElementType()));
  replicate(rule, indices.back());
  rule.operands = {operand, indices};
  rule.results = {result};
  return rule;
}

FactorRule ScatterElementsOp::getShardingRule() {
  FactorRule rule;
  ElementFactors factors(rule, getOperand().getType(), getIndices().getType(), getDim());
  rule.operands = {factors.operand, factors.indices, factors.indices};
  rule.results = {factors.operand};
  setTargetKind(rule, factors.operand[getDim()], getKind(), getType().getDimSize(getDim()));
  setUpdateKind(rule, factors.indices[getDim()], getKind(), getUpdates().getType(), getDim());
  return rule;
}

FactorRule ScatterNDOp::getShardingRule() {
  FactorLetters letters;
  FactorRule rule;
  int64_t tuple = getIndices().getType().getShape().back();
  Dims operand = letters.take(getType().getRank());
  Dims indices = letters.take(getIndices().getType().getRank());
  Dims updates(indices.begin(), indices.end() - 1);
  for (int64_t dim = 0; dim < tuple; ++dim)
    setTargetKind(rule, operand[dim], getKind(), getType().getDimSize(dim));
  for (auto [index, dim] : llvm::enumerate(updates))
    setUpdateKind(rule, dim, getKind(), getUpdates().getType(), index);
  replicate(rule, indices.back());
  updates.append(operand.begin() + tuple, operand.end());
  rule.operands = {operand, indices, updates};
  rule.results = {operand};
  return rule;
}
