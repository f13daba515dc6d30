// The tensors of a function by the names that a user knows.
#ifndef SHEAF_PASSES_SHARDING_NAMED_TENSORS_H
#define SHEAF_PASSES_SHARDING_NAMED_TENSORS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace sheaf::sharding {

/// A tensor and its name.
struct NamedTensor {
  llvm::StringRef name;
  /// "parameter", "input", "state", "output" or "node".
  llvm::StringRef kind;
  mlir::RankedTensorType type;
  /// Null for an output.
  mlir::Value value;
  /// Of an output, the result of the function.
  unsigned result = 0;
};

/// Parameters, inputs, states, outputs, and what nodes give to other nodes, in program order. A node may
/// be several ops of one name; results that only these use are none of the user's.
std::vector<NamedTensor> namedTensors(mlir::func::FuncOp function);

} // namespace sheaf::sharding

#endif
