// Turns meshes and shardings of functions into those of programs.
#include "passes/lowering/bufferize/shards.h"

#include "dialects/dist/tensor_sharding.h"

using namespace mlir;
using namespace sheaf::dist;

namespace sheaf::lowering {
namespace {

exec::ShardAttr shardOf(func::FuncOp function, TypeAttr whole, ShardingAttr sharding) {
  if (!whole || !sharding)
    return {};
  MeshAttr mesh = findMesh(function, sharding.getMesh()).getMesh();
  SmallVector<int64_t> cuts;
  for (auto [dim, axes] : llvm::enumerate(sharding.getDims()))
    for (Axis axis : axesOf(axes.getAxes(), mesh))
      llvm::append_values(cuts, int64_t(dim), int64_t(axis.index), axis.preSize, axis.size);
  return exec::ShardAttr::get(function.getContext(),
                              cast<RankedTensorType>(whole.getValue()).getShape(), cuts);
}

/// The mesh that some argument or result is sharded over.
MeshOp meshOf(func::FuncOp function) {
  for (unsigned i : llvm::seq(function.getNumArguments()))
    if (auto sharding = function.getArgAttrOfType<ShardingAttr>(i, kSharding))
      return findMesh(function, sharding.getMesh());
  for (unsigned i : llvm::seq(function.getNumResults()))
    if (auto sharding = function.getResultAttrOfType<ShardingAttr>(i, kSharding))
      return findMesh(function, sharding.getMesh());
  return nullptr;
}

/// A caller feeds whole values and is given whole values, not what ranks still have to combine.
LogicalResult checkTotal(func::FuncOp function) {
  auto check = [&](const Twine &what, ShardingAttr sharding) -> LogicalResult {
    if (!sharding || sharding.getPartial().empty())
      return success();
    return function.emitOpError(what) << " is partial; what a program takes and gives is not: take "
                                         "partial off its sharding";
  };
  for (unsigned i : llvm::seq(function.getNumArguments()))
    if (failed(
            check("argument " + Twine(i), function.getArgAttrOfType<ShardingAttr>(i, kSharding))))
      return failure();
  for (unsigned i : llvm::seq(function.getNumResults()))
    if (failed(
            check("result " + Twine(i), function.getResultAttrOfType<ShardingAttr>(i, kSharding))))
      return failure();
  return success();
}

} // namespace

exec::ShardAttr argumentShard(func::FuncOp function, unsigned index) {
  return shardOf(function, function.getArgAttrOfType<TypeAttr>(index, kWhole),
                 function.getArgAttrOfType<ShardingAttr>(index, kSharding));
}

exec::ShardAttr resultShard(func::FuncOp function, unsigned index) {
  return shardOf(function, function.getResultAttrOfType<TypeAttr>(index, kWhole),
                 function.getResultAttrOfType<ShardingAttr>(index, kSharding));
}

LogicalResult createMesh(OpBuilder builder, ArrayRef<func::FuncOp> functions) {
  MeshOp mesh;
  for (func::FuncOp function : functions)
    if (MeshOp own = meshOf(function)) {
      if (mesh && mesh.getMesh() != own.getMesh())
        return function.emitOpError("runs on mesh ")
               << own.getMesh() << ", another function on " << mesh.getMesh()
               << "; an executable has one mesh";
      mesh = own;
      if (failed(checkTotal(function)))
        return failure();
    }
  if (!mesh)
    return success();
  SmallVector<StringRef> names;
  SmallVector<int64_t> extents;
  for (MeshAxisAttr axis : mesh.getMesh().getAxes()) {
    names.push_back(axis.getName());
    extents.push_back(axis.getSize());
  }
  ArrayRef<int64_t> devices = mesh.getMesh().getDevices();
  exec::MeshOp::create(
      builder, mesh.getLoc(), builder.getStrArrayAttr(names), builder.getDenseI64ArrayAttr(extents),
      devices.empty() ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(devices));
  return success();
}

} // namespace sheaf::lowering
