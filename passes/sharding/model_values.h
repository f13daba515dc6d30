// The values of a function by the names of tensors in the model file.
#ifndef SHEAF_PASSES_SHARDING_MODEL_VALUES_H
#define SHEAF_PASSES_SHARDING_MODEL_VALUES_H

#include "dialects/graph/model_tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace sheaf::sharding {

/// The tensors of the model file that values of a function are. Tensors that were folded into others
/// have none.
class ModelValues {
public:
  explicit ModelValues(mlir::func::FuncOp function);

  /// In program order.
  const llvm::MapVector<llvm::StringRef, mlir::Value> &all() const { return values; }
  /// Null when there is none.
  mlir::Value lookup(llvm::StringRef tensor) const { return values.lookup(tensor); }
  /// The tensors that `value` is.
  graph::TensorNames namesOf(mlir::Value value) const;
  /// Whether `tensor` is a parameter or a state.
  bool isStored(llvm::StringRef tensor) const;

private:
  mlir::func::FuncOp function;
  llvm::MapVector<llvm::StringRef, mlir::Value> values;
};

} // namespace sheaf::sharding

#endif
