// Follows parameters to their first uses.
#include "passes/sharding/parameter_uses.h"

#include "dialects/graph/graph.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <numeric>

using namespace mlir;

namespace sheaf::sharding {

ParameterUses::ParameterUses(func::FuncOp function)
    : function(function), block(function.getBody().front()) {
  for (Operation &op : block)
    positions.try_emplace(&op, positions.size());
  findStored();
  findLiveBytes();
  // From the last use to the first: what a stored value becomes is known before it.
  for (Operation &op : llvm::reverse(block))
    for (Value result : op.getResults())
      if (stored.contains(result))
        known[result] = firstUse(result);
  for (BlockArgument argument : function.getArguments())
    if (stored.contains(argument)) {
      Use use = firstUse(argument);
      uses.push_back({argument.getArgNumber(), use.position, use.kind});
    }
  llvm::stable_sort(
      uses, [](const ParameterUse &a, const ParameterUse &b) { return a.position < b.position; });
}

void ParameterUses::findStored() {
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), graph::kParameter))
      stored.insert(argument);
  for (Operation &op : block.without_terminator())
    if (isPure(&op) &&
        llvm::all_of(op.getOperands(), [&](Value value) { return stored.contains(value); }))
      stored.insert_range(op.getResults());
}

void ParameterUses::findLiveBytes() {
  // What begins and ends to be live at each position, then the sums of it.
  liveBytes.assign(positions.size() + 2, 0);
  auto add = [&](Value value, int64_t begin) {
    auto type = dyn_cast<ShapedType>(value.getType());
    if (!type || stored.contains(value))
      return;
    int64_t end = begin;
    for (Operation *user : value.getUsers())
      end = std::max(end, positions.at(block.findAncestorOpInBlock(*user)) + 1);
    int64_t bytes = memoryBytes(type).value_or(0);
    liveBytes[begin] += bytes;
    liveBytes[end] -= bytes;
  };
  for (BlockArgument argument : block.getArguments())
    add(argument, 0);
  for (Operation &op : block)
    for (Value result : op.getResults())
      add(result, positions.at(&op) + 1);
  std::partial_sum(liveBytes.begin(), liveBytes.end(), liveBytes.begin());
}

int64_t ParameterUses::bytesAcross(size_t index) const {
  int64_t before = index == 0 ? -1 : uses[index - 1].position, position = uses[index].position;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (; position > before; --position)
    least = std::min(least, liveBytes[position]);
  return least;
}

ParameterUses::Use ParameterUses::firstUse(Value value) {
  Use first{int64_t(positions.size()), 0};
  SmallVector<const void *> key;
  for (OpOperand &operand : value.getUses()) {
    Operation *user = block.findAncestorOpInBlock(*operand.getOwner());
    bool isOnTheWay = user->getNumResults() > 0 && stored.contains(user->getResult(0));
    Use onwards = isOnTheWay ? known.at(user->getResult(0)) : Use{positions.at(user), 0};
    if (onwards.position >= first.position)
      continue;
    first = onwards;
    auto asPointer = [](uintptr_t number) { return reinterpret_cast<const void *>(number); };
    key = {user->getName().getAsOpaquePointer(), user->getAttrDictionary().getAsOpaquePointer(),
           asPointer(operand.getOperandNumber()), asPointer(onwards.kind)};
    for (Type type : user->getResultTypes())
      key.push_back(type.getAsOpaquePointer());
  }
  key.push_back(value.getType().getAsOpaquePointer());
  first.kind = kinds.try_emplace(key, kinds.size() + 1).first->second;
  return first;
}

} // namespace sheaf::sharding
