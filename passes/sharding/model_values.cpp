// Finds the tensors of the model file in a function.
#include "passes/sharding/model_values.h"

#include "dialects/dist/dist.h"
#include "dialects/graph/graph.h"

using namespace mlir;

namespace sheaf::sharding {

static StringAttr storedName(func::FuncOp function, unsigned argument) {
  for (StringRef role : {graph::kParameter, graph::kState})
    if (auto name = function.getArgAttrOfType<StringAttr>(argument, role))
      return name;
  return nullptr;
}

/// The names that a value's location or attributes give it.
static graph::TensorNames givenNames(func::FuncOp function, Value value) {
  if (auto result = dyn_cast<OpResult>(value)) {
    // Annotations have the location of what they annotate.
    if (isa<dist::DistDialect>(result.getOwner()->getDialect()))
      return {};
    return graph::modelTensorsOf(result);
  }
  auto argument = cast<BlockArgument>(value);
  if (argument.getOwner()->getParentOp() != function)
    return {};
  StringAttr name = storedName(function, argument.getArgNumber());
  if (!name)
    name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), graph::kInput);
  return name ? graph::TensorNames{name.getValue()} : graph::TensorNames();
}

ModelValues::ModelValues(func::FuncOp function) : function(function) {
  auto add = [&](Value value) {
    // Of several ops that one became, the last makes its result.
    for (StringRef name : givenNames(function, value))
      values[name] = value;
  };
  for (BlockArgument argument : function.getArguments())
    add(argument);
  function.walk([&](Operation *op) {
    if (op != function)
      llvm::for_each(op->getResults(), add);
  });
}

graph::TensorNames ModelValues::namesOf(Value value) const {
  graph::TensorNames names = givenNames(function, value);
  llvm::erase_if(names, [&](StringRef name) { return lookup(name) != value; });
  return names;
}

bool ModelValues::isStored(StringRef tensor) const {
  auto argument = dyn_cast_if_present<BlockArgument>(lookup(tensor));
  return argument && storedName(function, argument.getArgNumber());
}

} // namespace sheaf::sharding
