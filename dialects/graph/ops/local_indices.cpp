// Indices into dims of which a rank holds a part.
#include "dialects/graph/ops/local_indices.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

static Value both(PrimitiveBuilder &b, Value x, Value y) {
  return b.binary(BinaryKind::bitwise_and, x, y);
}

/// Whether `low <= x < high`.
static Value isWithin(PrimitiveBuilder &b, Value x, Value low, Value high) {
  return both(b, b.compare(CompareKind::ge, x, low), b.compare(CompareKind::lt, x, high));
}

LocalIndices sheaf::graph::localIndices(PrimitiveBuilder &b, LocalShards &shards,
                                        RankedTensorType operand, int64_t dim, Value indices,
                                        int64_t elsewhere) {
  if (shards.numParts(0, dim) == 1)
    return {indices, nullptr};
  Value given = b.cast(indices, b.getI64Type());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(given.getType()).getShape();
  Value zero = b.splatLike(given, 0), extent = b.splatLike(given, double(operand.getDimSize(dim)));
  Value place = b.select(b.compare(CompareKind::lt, given, zero),
                         b.binary(BinaryKind::add, given, extent), given);
  Value local =
      b.binary(BinaryKind::sub, place, b.broadcast(shards.operandBegin(0, dim), shape, {}));
  Value isHere = isWithin(b, local, zero, b.broadcast(shards.operandExtent(0, dim), shape, {}));
  // A block is not longer than the whole dim, so what is out of range there is so here.
  Value other =
      b.select(isWithin(b, place, zero, extent), b.splatLike(given, double(elsewhere)), given);
  return {b.select(isHere, local, other), isHere};
}

/// Index `k` of each tuple; the last dim stays, with extent 1.
static Value componentOf(PrimitiveBuilder &b, Value tuples, int64_t k) {
  return b.slice(tuples, cast<RankedTensorType>(tuples.getType()).getRank() - 1, k, k + 1);
}

LocalIndices sheaf::graph::localTuples(PrimitiveBuilder &b, LocalShards &shards,
                                       RankedTensorType operand, int64_t firstDim, Value tuples,
                                       int64_t elsewhereDim, int64_t elsewhere) {
  auto type = cast<RankedTensorType>(tuples.getType());
  SmallVector<LocalIndices> components;
  Value isHere;
  for (int64_t k = 0; k < type.getShape().back(); ++k) {
    int64_t dim = firstDim + k;
    components.push_back(localIndices(b, shards, operand, dim, componentOf(b, tuples, k),
                                      dim == elsewhereDim ? elsewhere : 0));
    if (Value isPartHere = components.back().isHere)
      isHere = isHere ? both(b, isHere, isPartHere) : isPartHere;
  }
  if (!isHere)
    return {tuples, nullptr};
  if (elsewhereDim >= 0) { // It may be here along that dim, but not along another.
    LocalIndices &component = components[elsewhereDim - firstDim];
    Value isThereByOthers = both(b, component.isHere, b.unary(UnaryKind::bitwise_not, isHere));
    component.indices = b.select(isThereByOthers, b.splatLike(component.indices, double(elsewhere)),
                                 component.indices);
  }
  SmallVector<Value> indices;
  for (const LocalIndices &component : components)
    indices.push_back(b.cast(component.indices, b.getI64Type()));
  return {ConcatOp::create(b, indices, type.getRank() - 1),
          b.reshape(isHere, type.getShape().drop_back())};
}

void sheaf::graph::noteWholeExtents(Operation *op, RankedTensorType whole, int64_t firstDim,
                                    int64_t count) {
  auto block = cast<RankedTensorType>(op->getOperand(0).getType());
  ArrayRef<int64_t> extents = whole.getShape().slice(firstDim, count);
  if (block.getShape().slice(firstDim, count) != extents)
    op->setAttr(kWholeExtents, DenseI64ArrayAttr::get(op->getContext(), extents));
}

Value sheaf::graph::maskedIndices(LocalShards &shards) {
  int64_t rank = cast<RankedTensorType>(shards.operands()[1].getType()).getRank();
  return shards.operandMasked(1, llvm::to_vector(llvm::seq<int64_t>(rank)), 0);
}
