// The local shards of one op, as its own code sees them.
#ifndef SHEAF_PASSES_SHARDING_OP_SHARDS_H
#define SHEAF_PASSES_SHARDING_OP_SHARDS_H

#include "dialects/interfaces/local_shards.h"
#include "passes/sharding/op_rule.h"
#include "passes/sharding/shard_place.h"
#include "passes/sharding/window_moves.h"

namespace sheaf::sharding {

/// Where the tensors of an op are: operands, then results.
class OpShards final : public LocalShards {
public:
  /// `shardings` are those of operands, then results; `local` the operands as the rank holds them.
  OpShards(mlir::Operation *op, llvm::ArrayRef<dist::TensorSharding> shardings,
           mlir::ValueRange local, mlir::OpBuilder &builder, ShardPlaces &places);

  mlir::OpBuilder &builder() override { return opBuilder; }
  mlir::ValueRange operands() override { return local; }
  mlir::TypeRange resultTypes() override { return localTypes; }

  int64_t numParts(unsigned operand, unsigned dim) override {
    return shardings[operand].numParts(dim);
  }
  int64_t numResultParts(unsigned result, unsigned dim) override {
    return shardings[op->getNumOperands() + result].numParts(dim);
  }
  bool isUneven(unsigned operand, unsigned dim) override { return isTensorUneven(operand, dim); }
  bool isResultUneven(unsigned result, unsigned dim) override {
    return isTensorUneven(op->getNumOperands() + result, dim);
  }

  mlir::Value operandBegin(unsigned operand, unsigned dim) override {
    return place(operand, dim).begin;
  }
  mlir::Value resultBegin(unsigned result, unsigned dim) override {
    return place(op->getNumOperands() + result, dim).begin;
  }
  mlir::Value operandExtent(unsigned operand, unsigned dim) override {
    return place(operand, dim).extent;
  }
  mlir::Value resultExtent(unsigned result, unsigned dim) override {
    return place(op->getNumOperands() + result, dim).extent;
  }
  mlir::Value operandMasked(unsigned operand, llvm::ArrayRef<int64_t> dims, double value) override;
  bool isWindowed(unsigned operand, unsigned dim) override;
  mlir::Value windowOf(unsigned operand, mlir::Value block, mlir::Value fill) override;

  /// A window that was asked for and that moves something between ranks.
  struct Sent {
    unsigned operand, dim;
    int64_t bytes;
  };
  llvm::ArrayRef<Sent> sentWindows() const { return sent; }

  /// The op itself on the local operands, whose padding along reductions is set to what changes nothing.
  llvm::SmallVector<mlir::Value> clone();

private:
  int64_t extentOf(unsigned tensor, unsigned dim) const;
  bool isTensorUneven(unsigned tensor, unsigned dim) const;
  ShardPlaces::Place place(unsigned tensor, unsigned dim);

  mlir::Operation *op;
  OpRule rule;
  llvm::ArrayRef<dist::TensorSharding> shardings;
  mlir::ValueRange local;
  llvm::SmallVector<mlir::Type> localTypes;
  mlir::OpBuilder &opBuilder;
  ShardPlaces &places;
  llvm::SmallVector<Sent, 2> sent;
};

} // namespace sheaf::sharding

#endif
