// Which mesh a function runs on.
#include "passes/sharding/passes.h"

using namespace mlir;
using namespace sheaf::dist;

FlatSymbolRefAttr sheaf::sharding::meshOf(func::FuncOp function) {
  for (unsigned i : llvm::seq(function.getNumArguments()))
    if (auto sharding = function.getArgAttrOfType<ShardingAttr>(i, kSharding))
      return sharding.getMesh();
  for (unsigned i : llvm::seq(function.getNumResults()))
    if (auto sharding = function.getResultAttrOfType<ShardingAttr>(i, kSharding))
      return sharding.getMesh();
  return nullptr;
}
