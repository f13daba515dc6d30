// Finds the operands that may wait, through PartialOpInterface alone.
#include "passes/sharding/waiting_operands.h"

#include "dialects/interfaces/graph_interfaces.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace sheaf::dist;

namespace sheaf::sharding {
namespace {

FactorKind factorKindOf(PartialKind kind) {
  switch (kind) {
  case PartialKind::sum:
  case PartialKind::mean: // As linear as a sum.
    return FactorKind::reduction;
  case PartialKind::max:
    return FactorKind::reductionMax;
  case PartialKind::min:
    return FactorKind::reductionMin;
  }
  llvm_unreachable("a kind of partial values");
}

/// The set of operands as `kind` lets them wait; without operands when it does not.
WaitingOperands waitingOf(Operation *op, ArrayRef<unsigned> set, PartialKind kind,
                          ArrayRef<std::optional<TensorSharding>> parts) {
  WaitingOperands waiting{{}, {}, kind};
  for (unsigned operand : set) {
    if (!parts[operand] || parts[operand]->partialKind != kind) {
      if (!isItsOwnPart(op->getOperand(operand), kind))
        return {{}, {}, kind};
      continue;
    }
    AxisListRef own = parts[operand]->partial;
    waiting.axes = waiting.operands.empty()
                       ? AxisList(own)
                       : difference(waiting.axes, difference(waiting.axes, own));
    waiting.operands.push_back(operand);
  }
  return waiting;
}

} // namespace

bool isItsOwnPart(Value value, PartialKind kind) {
  return kind == PartialKind::max || kind == PartialKind::min || matchPattern(value, m_Zero()) ||
         matchPattern(value, m_AnyZeroFloat());
}

std::vector<WaitingOperands> waitingOperandsOf(Operation *op,
                                               ArrayRef<std::optional<TensorSharding>> parts) {
  std::vector<WaitingOperands> result;
  auto passes = dyn_cast<PartialOpInterface>(op);
  if (!passes)
    return result;
  for (PartialKind kind :
       {PartialKind::sum, PartialKind::max, PartialKind::min, PartialKind::mean}) {
    if (llvm::none_of(parts, [&](const auto &part) { return part && part->partialKind == kind; }))
      continue;
    for (ArrayRef<unsigned> set : passes.getPartialOperands(factorKindOf(kind)))
      if (WaitingOperands waiting = waitingOf(op, set, kind, parts); !waiting.axes.empty())
        result.push_back(std::move(waiting));
  }
  return result;
}

} // namespace sheaf::sharding
