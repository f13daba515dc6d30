// Which values are the same in every run.
#ifndef SHEAF_PASSES_LOWERING_INVARIANTS_H
#define SHEAF_PASSES_LOWERING_INVARIANTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace sheaf::lowering {

/// The values of a function that depend on parameters and constants only.
class Invariants {
public:
  explicit Invariants(mlir::func::FuncOp function);

  bool contains(mlir::Value value) const { return values.contains(value); }
  void insert(mlir::Value value) { values.insert(value); }

private:
  llvm::DenseSet<mlir::Value> values;
};

} // namespace sheaf::lowering

#endif
