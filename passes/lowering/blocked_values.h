// Values in two layouts, and the reorders between them.
#ifndef SHEAF_PASSES_LOWERING_BLOCKED_VALUES_H
#define SHEAF_PASSES_LOWERING_BLOCKED_VALUES_H

#include "dialects/exec/exec.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace sheaf::lowering {

/// Keeps for each value of a function its row-major and its blocked form; makes a reorder the first
/// time that the one it lacks is asked for.
class BlockedValues {
public:
  explicit BlockedValues(int64_t block) : block(block) {}

  /// The type with channels in blocks.
  mlir::RankedTensorType blockedType(mlir::Type type) const;

  /// Says that `value` exists as `blocked`; its row-major form is made on demand.
  void setBlocked(mlir::Value value, mlir::Value blocked) { blockedOf[value] = blocked; }
  bool isBlocked(mlir::Value value) const { return replaced.contains(value); }
  /// Says that `value` will vanish: only its blocked form exists.
  void replace(mlir::Value value, mlir::Value blocked) {
    setBlocked(value, blocked);
    replaced.insert(value);
  }

  mlir::Value getBlocked(mlir::OpBuilder &builder, mlir::Value value);
  mlir::Value getPlain(mlir::OpBuilder &builder, mlir::Value value);

  int64_t numReorders = 0;

private:
  mlir::Value reorder(mlir::OpBuilder &builder, mlir::Value value, mlir::Type type);

  int64_t block;
  llvm::DenseMap<mlir::Value, mlir::Value> blockedOf, plainOf;
  llvm::DenseSet<mlir::Value> replaced;
};

} // namespace sheaf::lowering

#endif
