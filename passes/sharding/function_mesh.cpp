// Which mesh functions run on.
#include "passes/sharding/passes.h"

#include "dialects/dist/tensor_sharding.h"

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

void sheaf::sharding::giveMesh(ModuleOp module, MeshAttr mesh) {
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto op = MeshOp::create(builder, module.getLoc(), "mesh", mesh);
  auto name = FlatSymbolRefAttr::get(op.getSymNameAttr());
  for (auto function : module.getOps<func::FuncOp>())
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      function.setArgAttr(
          index, kSharding,
          TensorSharding::open(cast<RankedTensorType>(type).getRank()).toAttr(name, mesh));
}
