// The tensors of a function and what ties them together, as the propagation engine takes them.
#ifndef SHEAF_PASSES_SHARDING_FUNCTION_TENSORS_H
#define SHEAF_PASSES_SHARDING_FUNCTION_TENSORS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/sharding/propagation.h"
#include "llvm/ADT/DenseMap.h"

namespace sheaf::sharding {

/// The sharding that a value is annotated with; null without.
dist::ShardingAttr givenSharding(mlir::Value value);

/// The tensors of one function: its values, and its results as its caller sees them. All are on one mesh.
class FunctionTensors {
public:
  /// Reads the given shardings. Errors: they name several meshes that differ, or an op with a region
  /// that is not a loop. Without a given sharding there is no mesh.
  static mlir::FailureOr<FunctionTensors> read(mlir::func::FuncOp function);

  bool hasMesh() const { return bool(mesh); }
  Propagation &propagation() { return engine; }

  /// Writes the shardings as attributes.
  void write();
  /// Remarks, at each tensor that got axes, where they came from.
  void explain();

private:
  explicit FunctionTensors(mlir::func::FuncOp function) : function(function) {}

  mlir::LogicalResult findMesh();
  mlir::LogicalResult adoptMesh(mlir::Operation *user, dist::ShardingAttr sharding);
  unsigned add(mlir::Value value, dist::ShardingAttr given);
  void addResult(unsigned index);
  void addOp(mlir::Operation *op);
  void tie(llvm::ArrayRef<unsigned> tensors, unsigned numOperands);
  std::string nameOf(unsigned tensor);
  std::string nodeName(unsigned node);

  mlir::func::FuncOp function;
  dist::MeshAttr mesh;
  mlir::FlatSymbolRefAttr meshName;
  Propagation engine;
  llvm::DenseMap<mlir::Value, unsigned> indexOf;
  /// Per tensor; null for results of the function.
  std::vector<mlir::Value> values;
  /// Per node; null for ties that are no op.
  std::vector<mlir::Operation *> ops;
  std::vector<unsigned> resultTensors; ///< of each result of the function
};

} // namespace sheaf::sharding

#endif
