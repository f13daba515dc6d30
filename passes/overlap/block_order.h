// The ops of a block by number.
#ifndef SHEAF_PASSES_OVERLAP_BLOCK_ORDER_H
#define SHEAF_PASSES_OVERLAP_BLOCK_ORDER_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace sheaf::overlap {

/// Numbers ops as they stand now; ops that come later have none.
class BlockOrder {
public:
  explicit BlockOrder(mlir::Block &block) : block(block) {
    for (mlir::Operation &op : block)
      numbers.try_emplace(&op, numbers.size());
  }

  int64_t of(mlir::Operation *op) const { return numbers.at(block.findAncestorOpInBlock(*op)); }
  /// That of the op that computes a value; -1 for values from outside.
  int64_t ofDefinition(mlir::Value value) const {
    mlir::Operation *op = value.getDefiningOp();
    return op && op->getBlock() == &block ? numbers.at(op) : -1;
  }
  /// That of the first op that uses a result of `op`; past the end when there is none.
  int64_t ofFirstUse(mlir::Operation *op) const {
    int64_t first = numbers.size();
    for (mlir::Operation *user : op->getUsers())
      first = std::min(first, of(user));
    return first;
  }

private:
  mlir::Block &block;
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
};

} // namespace sheaf::overlap

#endif
