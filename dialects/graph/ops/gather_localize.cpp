// Gathers on local shards: each rank takes what its part of the operand has, and zero for the rest.
#include "dialects/graph/ops/local_indices.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

/// `taken` where `isHere`, whose dim `i` is dim `dims[i]` of it, is true or null, else zero.
static SmallVector<Value> keepFound(PrimitiveBuilder &b, Value taken, Value isHere,
                                    ArrayRef<int64_t> dims) {
  if (!isHere)
    return {taken};
  ArrayRef<int64_t> shape = cast<RankedTensorType>(taken.getType()).getShape();
  return {b.select(b.broadcast(isHere, shape, dims), taken, b.splatLike(taken, 0))};
}

FailureOr<SmallVector<Value>> GatherOp::localize(LocalShards &shards) {
  PrimitiveBuilder b(getLoc(), shards.builder());
  int64_t dim = getDim(), batchDims = getBatchDims();
  LocalIndices local = localIndices(b, shards, getOperand().getType(), dim, maskedIndices(shards));
  auto taken = GatherOp::create(b, shards.operands()[0], local.indices, dim, batchDims);
  noteWholeExtents(taken, getOperand().getType(), dim);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(batchDims)); // Those of the indices in the result.
  for (int64_t i = batchDims; i < getIndices().getType().getRank(); ++i)
    dims.push_back(dim + i - batchDims);
  return keepFound(b, taken, local.isHere, dims);
}

FailureOr<SmallVector<Value>> GatherElementsOp::localize(LocalShards &shards) {
  PrimitiveBuilder b(getLoc(), shards.builder());
  LocalIndices local =
      localIndices(b, shards, getOperand().getType(), getDim(), maskedIndices(shards));
  auto taken = GatherElementsOp::create(b, shards.operands()[0], local.indices, getDim());
  noteWholeExtents(taken, getOperand().getType(), getDim());
  return keepFound(b, taken, local.isHere,
                   llvm::to_vector(llvm::seq<int64_t>(getType().getRank())));
}

FailureOr<SmallVector<Value>> GatherNDOp::localize(LocalShards &shards) {
  PrimitiveBuilder b(getLoc(), shards.builder());
  LocalIndices local =
      localTuples(b, shards, getOperand().getType(), getBatchDims(), maskedIndices(shards));
  auto taken = GatherNDOp::create(b, shards.operands()[0], local.indices, getBatchDims());
  noteWholeExtents(taken, getOperand().getType(), getBatchDims(),
                   getIndices().getType().getShape().back());
  int64_t numTupleDims = getIndices().getType().getRank() - 1;
  return keepFound(b, taken, local.isHere, llvm::to_vector(llvm::seq<int64_t>(numTupleDims)));
}
