// Writes annotations into a function: adds to what is given, never changes it.
#ifndef SHEAF_PASSES_SHARDING_ANNOTATOR_H
#define SHEAF_PASSES_SHARDING_ANNOTATOR_H

#include "dialects/dist/tensor_sharding.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace sheaf::sharding {

/// The annotations of one function. A dim is given when it is closed or has axes; open dims without
/// axes are free. Values get a `dist.constraint`, arguments and results of the function an attribute.
class Annotator {
public:
  /// Errors: the module has no mesh, or several.
  static mlir::FailureOr<Annotator> of(mlir::func::FuncOp function);

  dist::MeshAttr getMesh() const { return mesh; }

  /// Adds the dims of `wanted` to the free ones of `value`, without axes that the value uses already.
  void give(mlir::Value value, const dist::TensorSharding &wanted);
  /// Says that one use of a value wants it at `wanted`, wherever the value lives.
  void giveUse(mlir::OpOperand &use, const dist::TensorSharding &wanted);
  /// The same as `give` for result `index` of the function.
  void giveResult(unsigned index, const dist::TensorSharding &wanted);
  /// Cuts dim `dim` of `value` along `axes`, if it is free; says nothing of the other dims.
  void cut(mlir::Value value, unsigned dim, dist::AxisListRef axes);
  /// Keeps dim `dim` of `value` whole, if it is free.
  void keepWhole(mlir::Value value, unsigned dim);

private:
  Annotator(mlir::func::FuncOp function, mlir::FlatSymbolRefAttr meshName, dist::MeshAttr mesh)
      : function(function), meshName(meshName), mesh(mesh) {}

  /// `given` with the dims of `wanted` where these are free.
  dist::ShardingAttr merge(dist::ShardingAttr given, const dist::TensorSharding &wanted) const;

  mlir::func::FuncOp function;
  mlir::FlatSymbolRefAttr meshName;
  dist::MeshAttr mesh;
  /// What `giveUse` made: uses that want the same share it.
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, mlir::Value> atUses;
};

} // namespace sheaf::sharding

#endif
