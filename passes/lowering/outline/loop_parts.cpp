// Follows what the trips and the end of a function need back to what can give it.
#include "passes/lowering/outline/loop_parts.h"

#include "dialects/dist/dist.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

/// Views of what is stored cost nothing.
bool isView(Operation *op) {
  return isa<graph::ReshapeOp, graph::TransposeOp, graph::BroadcastOp, graph::SliceOp,
             graph::ReverseOp>(op);
}

/// Views that hold no less than what they are views of.
bool isWholeView(Operation *op) { return isView(op) && !isa<graph::SliceOp>(op); }

/// Whether the op gives the same whenever it is asked, without asking other ranks.
bool isRepeatable(Operation *op) {
  return op->getNumRegions() == 0 && isPure(op) &&
         (isa<graph::GraphDialect>(op->getDialect()) || isa<dist::SliceOp, dist::ShardIndexOp>(op));
}

/// The values from outside of `op` that it uses.
SmallVector<Value> usedValues(Operation *op) {
  SmallVector<Value> used(op->getOperands());
  llvm::SetVector<Value> within;
  getUsedValuesDefinedAbove(op->getRegions(), within);
  llvm::append_range(used, within);
  return used;
}

} // namespace

bool readsBefore(graph::LoopOp loop, unsigned index) {
  return !loop.getBodyBlock()->getArgument(index + 1).use_empty();
}

bool isChanged(graph::LoopOp loop, unsigned index) {
  Block &body = *loop.getBodyBlock();
  return body.getTerminator()->getOperand(index) != body.getArgument(index + 1);
}

void LoopParts::findDirect() {
  llvm::DenseSet<Value> constant;
  direct.insert_range(function.getArguments());
  for (Operation &op : function.getBody().front().without_terminator()) {
    auto areAll = [&](const llvm::DenseSet<Value> &set) {
      return llvm::all_of(op.getOperands(), [&](Value v) { return set.contains(v); });
    };
    if (isRepeatable(&op) && areAll(constant)) {
      constant.insert_range(op.getResults());
      direct.insert_range(op.getResults());
    } else if (isView(&op) && areAll(direct)) {
      direct.insert_range(op.getResults());
    }
  }
}

void LoopParts::add(LoopPart &part, Value value) {
  SmallVector<Value> wanted = {value};
  while (!wanted.empty()) {
    Value next = wanted.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      part.arguments.set(argument.getArgNumber());
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (op == loop)
      continue;
    if (&part != &begin && !direct.contains(next) && begin.ops.contains(op) && !isWholeView(op)) {
      part.fromBegin.insert(next);
      carried.insert(next);
      continue;
    }
    if (part.ops.insert(op).second)
      llvm::append_range(wanted, usedValues(op));
  }
}

LoopParts::LoopParts(func::FuncOp function, graph::LoopOp loop)
    : function(function), loop(loop), givenByBegin(function.getNumResults()) {
  for (LoopPart *part : {&begin, &trip, &end})
    part->arguments.resize(function.getNumArguments());
  findDirect();
  for (auto [index, init] : llvm::enumerate(loop.getInits()))
    if (readsBefore(loop, index))
      add(begin, init);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(loop.getBody(), captured);
  for (Value value : captured)
    if (!direct.contains(value))
      add(begin, value);
  for (Value value : captured)
    add(trip, value);
  for (OpOperand &result : function.getBody().front().getTerminator()->getOpOperands()) {
    unsigned index = result.getOperandNumber();
    bool isUpdate = bool(function.getResultAttr(index, graph::kUpdate));
    // What is updated may be read until the end.
    if (!isUpdate && !direct.contains(result.get()) &&
        begin.ops.contains(result.get().getDefiningOp()))
      givenByBegin.set(index);
    else
      add(end, result.get());
  }
}

} // namespace sheaf::lowering
