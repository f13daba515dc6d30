// Finds the names of tensors in attributes and locations.
#include "passes/sharding/named_tensors.h"

#include "dialects/graph/graph.h"
#include "dialects/graph/model_tensor.h"

using namespace mlir;

namespace sheaf::sharding {

std::vector<NamedTensor> namedTensors(func::FuncOp function) {
  std::vector<NamedTensor> tensors;
  for (BlockArgument argument : function.getArguments())
    for (StringRef role : {graph::kInput, graph::kParameter, graph::kState})
      if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), role))
        tensors.push_back(
            {name, role.split('.').second, cast<RankedTensorType>(argument.getType()), argument});
  function.walk([&](Operation *op) {
    StringRef name = graph::nodeOf(op);
    if (name.empty() || op == function)
      return;
    for (OpResult result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return graph::nodeOf(user) != name || user->hasTrait<OpTrait::IsTerminator>();
          }))
        tensors.push_back({name, "node", cast<RankedTensorType>(result.getType()), result});
  });
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (auto name = function.getResultAttrOfType<StringAttr>(index, graph::kOutput))
      tensors.push_back({name, "output", cast<RankedTensorType>(type), {}, unsigned(index)});
  return tensors;
}

} // namespace sheaf::sharding
