// Follows parameters forward, and computes what is made of them at another place.
#include "passes/overlap/stored_values.h"

#include "dialects/graph/graph.h"

using namespace mlir;

namespace sheaf::overlap {

/// A fence is about time: what its result is depends on the first operand only.
static OperandRange inputsOf(Operation *op) {
  return op->getOperands().take_front(isa<dist::FenceOp>(op) ? 1 : op->getNumOperands());
}

StoredValues::StoredValues(func::FuncOp function, Block &block, const BlockOrder &order)
    : order(order) {
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), graph::kParameter))
      values.insert(argument);
  SmallVector<Block *> around = {&block}; // Innermost first.
  while (around.back()->getParentOp() != function)
    around.push_back(around.back()->getParentOp()->getBlock());
  for (Block *outer : llvm::reverse(around))
    add(*outer);
}

void StoredValues::add(Block &block) {
  for (Operation &op : block.without_terminator())
    if (isPure(&op) && op.getNumRegions() == 0 && !isa<JointOpInterface>(op) &&
        op.getNumOperands() > 0 &&
        llvm::all_of(inputsOf(&op), [&](Value value) { return contains(value); }))
      values.insert_range(op.getResults());
}

bool StoredValues::canFetch(Value value, Operation *op) const {
  if (isKnown(value, op))
    return true;
  Operation *definition = value.getDefiningOp();
  if (auto fence = dyn_cast<dist::FenceOp>(definition);
      fence && !isKnown(fence.getAfter(), op) && !fenceOf(op))
    return false;
  return llvm::all_of(inputsOf(definition), [&](Value input) { return canFetch(input, op); });
}

Value StoredValues::fetch(Value value, Operation *op, OpBuilder &builder) const {
  if (isKnown(value, op))
    return value;
  Operation *definition = value.getDefiningOp();
  IRMapping mapping;
  for (Value input : inputsOf(definition))
    mapping.map(input, fetch(input, op, builder));
  if (auto fence = dyn_cast<dist::FenceOp>(definition); fence && !isKnown(fence.getAfter(), op))
    mapping.map(fence.getAfter(), fenceOf(op));
  Operation *copy = builder.clone(*definition, mapping);
  return copy->getResult(cast<OpResult>(value).getResultNumber());
}

Value StoredValues::fenceOf(Operation *op) const {
  SmallVector<Operation *> open = {op};
  while (!open.empty()) {
    Operation *next = open.pop_back_val();
    if (auto fence = dyn_cast<dist::FenceOp>(next))
      return fence.getAfter();
    for (Value input : inputsOf(next))
      if (Operation *definition = input.getDefiningOp())
        open.push_back(definition);
  }
  return {};
}

} // namespace sheaf::overlap
