// Follows carried values through the body of their loop.
#include "passes/sharding/carried_sum.h"

#include "dialects/graph/graph.h"
#include "mlir/IR/Matchers.h"
#include "passes/sharding/waiting_operands.h"

using namespace mlir;
using namespace sheaf::dist;

namespace sheaf::sharding {

OpOperand *findCarriedSum(Operation *op) {
  Block *body = op->getBlock();
  if (!isa_and_nonnull<graph::LoopOp>(body->getParentOp()) || op->getNumResults() != 1 ||
      !op->hasOneUse())
    return nullptr;
  OpOperand &next = *op->getResult(0).use_begin();
  if (next.getOwner() != body->getTerminator())
    return nullptr;
  BlockArgument carried = body->getArgument(next.getOperandNumber() + 1);
  return carried.hasOneUse() && *carried.user_begin() == op ? &*carried.use_begin() : nullptr;
}

Operation *findCommonBegin(BlockArgument argument, PartialKind kind) {
  auto loop = cast<graph::LoopOp>(argument.getOwner()->getParentOp());
  Value begin = loop.getInits()[argument.getArgNumber() - 1];
  while (auto reshard = begin.getDefiningOp<ReshardOp>())
    begin = reshard.getOperand();
  SplatElementsAttr value; // Any block of it is as it is.
  return matchPattern(begin, m_Constant(&value)) && isItsOwnPart(begin, kind)
             ? begin.getDefiningOp()
             : nullptr;
}

} // namespace sheaf::sharding
