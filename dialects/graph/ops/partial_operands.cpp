// Through which operands values pass that ranks still have to combine.
#include "dialects/graph/graph.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

using OperandSets = SmallVector<OperandSet>;

namespace {

/// Of an op that only moves the elements of its first operand.
OperandSets ofMoved(FactorKind) { return {{0}}; }

/// Of an op that is linear in each of these sets.
OperandSets ofLinear(FactorKind kind, OperandSets sets) {
  return kind == FactorKind::reduction ? sets : OperandSets();
}

OperandSet allOperands(Operation *op) {
  return llvm::to_vector_of<unsigned, 2>(llvm::seq(op->getNumOperands()));
}

/// Whether every element is the same number that is not 0 and not infinite: dividing by it loses no sum.
bool isHarmlessDivisor(Value value) {
  APFloat divisor(0.0);
  return matchPattern(value, m_ConstantFloat(&divisor)) && divisor.isFiniteNonZero();
}

/// Sums of scattered updates onto a tensor are linear in both.
OperandSets ofScatter(ScatterKind scatter, FactorKind kind) {
  return scatter == ScatterKind::add ? ofLinear(kind, {{0, 2}}) : OperandSets();
}

} // namespace

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

OperandSets UnaryOp::getPartialOperands(FactorKind kind) {
  return getKind() == UnaryKind::neg ? ofLinear(kind, {{0}}) : OperandSets();
}

OperandSets BinaryOp::getPartialOperands(FactorKind kind) {
  switch (getKind()) {
  case BinaryKind::add:
  case BinaryKind::sub:
    return ofLinear(kind, {{0, 1}});
  case BinaryKind::mul:
    return ofLinear(kind, {{0}, {1}});
  case BinaryKind::div:
    return isHarmlessDivisor(getRhs()) ? ofLinear(kind, {{0}}) : OperandSets();
  case BinaryKind::max:
    return kind == FactorKind::reductionMax ? OperandSets{{0, 1}} : OperandSets();
  case BinaryKind::min:
    return kind == FactorKind::reductionMin ? OperandSets{{0, 1}} : OperandSets();
  default:
    return {};
  }
}

/// A wider float holds the same numbers. See graph.h for what else is asked for.
OperandSets CastOp::getPartialOperands(FactorKind kind) {
  auto from = dyn_cast<FloatType>(getOperand().getType().getElementType());
  auto to = dyn_cast<FloatType>(getType().getElementType());
  if (!from || !to || (*this)->hasAttr(kWaitsForSum))
    return {};
  if (from.getWidth() < to.getWidth())
    return ofMoved(kind);
  return (*this)->hasAttr(kRoundsParts) ? ofLinear(kind, {{0}}) : OperandSets();
}

OperandSets SelectOp::getPartialOperands(FactorKind) { return {{1, 2}}; }

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

OperandSets ReshapeOp::getPartialOperands(FactorKind kind) { return ofMoved(kind); }
OperandSets TransposeOp::getPartialOperands(FactorKind kind) { return ofMoved(kind); }
OperandSets BroadcastOp::getPartialOperands(FactorKind kind) { return ofMoved(kind); }
OperandSets SliceOp::getPartialOperands(FactorKind kind) { return ofMoved(kind); }
OperandSets ReverseOp::getPartialOperands(FactorKind kind) { return ofMoved(kind); }
OperandSets PadOp::getPartialOperands(FactorKind) { return {{0, 1}}; }
OperandSets ConcatOp::getPartialOperands(FactorKind) { return {allOperands(*this)}; }

/// Where the table is cut as well, ranks without the element give zero, which is a part of a sum only.
OperandSets GatherOp::getPartialOperands(FactorKind kind) { return ofLinear(kind, {{0}}); }
OperandSets GatherElementsOp::getPartialOperands(FactorKind kind) { return ofLinear(kind, {{0}}); }
OperandSets GatherNDOp::getPartialOperands(FactorKind kind) { return ofLinear(kind, {{0}}); }

OperandSets ScatterElementsOp::getPartialOperands(FactorKind kind) {
  return ofScatter(getKind(), kind);
}
OperandSets ScatterNDOp::getPartialOperands(FactorKind kind) { return ofScatter(getKind(), kind); }

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

OperandSets ContractOp::getPartialOperands(FactorKind kind) { return ofLinear(kind, {{0}, {1}}); }
OperandSets ConvOp::getPartialOperands(FactorKind kind) { return ofLinear(kind, {{0}, {1}}); }
OperandSets ConvInputGradOp::getPartialOperands(FactorKind kind) {
  return ofLinear(kind, {{0}, {1}});
}
OperandSets ConvFilterGradOp::getPartialOperands(FactorKind kind) {
  return ofLinear(kind, {{0}, {1}});
}
OperandSets PoolOp::getPartialOperands(FactorKind kind) {
  if (getKind() == PoolKind::max)
    return kind == FactorKind::reductionMax ? OperandSets{{0}} : OperandSets();
  return ofLinear(kind, {{0}});
}
/// The probabilities do not depend on the value, nor on the gradient of the result.
OperandSets AttentionOp::getPartialOperands(FactorKind kind) { return ofLinear(kind, {{2}}); }
OperandSets AttentionGradOp::getPartialOperands(FactorKind kind) { return ofLinear(kind, {{3}}); }
OperandSets RotaryOp::getPartialOperands(FactorKind kind) { return ofLinear(kind, {{0}}); }
