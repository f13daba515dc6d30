// What a function computes from its parameters alone, which can be had at any time.
#ifndef SHEAF_PASSES_OVERLAP_STORED_VALUES_H
#define SHEAF_PASSES_OVERLAP_STORED_VALUES_H

#include "dialects/dist/dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/overlap/block_order.h"
#include "llvm/ADT/DenseSet.h"

namespace sheaf::overlap {

/// The stored values of a block of a function and of those around it: parameters, and what pure ops make of stored
/// values. In a loop they are the same in every trip.
class StoredValues {
public:
  /// `order` is that of `block`, the function's or that of a loop in it.
  StoredValues(mlir::func::FuncOp function, mlir::Block &block, const BlockOrder &order);

  bool contains(mlir::Value value) const { return values.contains(value); }

  /// Whether `value` can be had before `op`, whose operand is stored too.
  bool canFetch(mlir::Value value, mlir::Operation *op) const;

  /// `value`, computed before `op` where it is not yet. What was fenced from being had so early is fenced as the
  /// operand of `op` is.
  mlir::Value fetch(mlir::Value value, mlir::Operation *op, mlir::OpBuilder &builder) const;

private:
  void add(mlir::Block &block);
  /// What the operand of `op` is fenced by; null where it is not.
  mlir::Value fenceOf(mlir::Operation *op) const;
  bool isKnown(mlir::Value value, mlir::Operation *op) const {
    return order.ofDefinition(value) < order.of(op);
  }

  const BlockOrder &order;
  llvm::DenseSet<mlir::Value> values;
};

} // namespace sheaf::overlap

#endif
