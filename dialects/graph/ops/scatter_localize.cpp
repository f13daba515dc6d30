// Scatters on local shards: each rank writes to its part of the operand, of its part of the updates.
#include "dialects/graph/ops/local_indices.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

/// The update that changes nothing; none for `set`. Minus zero, since it leaves zeros of both signs.
static std::optional<double> neutralOf(ScatterKind kind) {
  switch (kind) {
  case ScatterKind::set:
    return std::nullopt;
  case ScatterKind::add:
    return -0.0;
  case ScatterKind::mul:
    return 1;
  case ScatterKind::max:
    return -INFINITY;
  case ScatterKind::min:
    return INFINITY;
  }
  llvm_unreachable("a kind of scatter");
}

namespace {

/// A scatter on the way to its local form. What other ranks write becomes an update that changes
/// nothing or, for `set`, goes to a place past the block that is cut off again.
struct LocalScatter {
  PrimitiveBuilder b;
  LocalShards &shards;
  std::optional<double> neutral;
  Value operand, indices, updates;
  int64_t roomDim = -1; ///< where the operand has a place past the block, if it has
  int64_t room = 0;     ///< the index of that place

  /// `updateDims` are the dims of indices and updates that are combined.
  LocalScatter(Location location, LocalShards &shards, ScatterKind kind,
               ArrayRef<int64_t> updateDims)
      : b(location, shards.builder()), shards(shards), neutral(neutralOf(kind)),
        operand(shards.operands()[0]), indices(maskedIndices(shards)),
        updates(neutral ? shards.operandMasked(2, updateDims, *neutral) : shards.operands()[2]) {
    if (kind == ScatterKind::add)
      for (int64_t dim : updateDims)
        countOperandOnce(dim);
  }

  /// Gives updates for other ranks a place, for `set`, if dim `dim` of the operand is the first that
  /// is cut.
  void makeRoom(int64_t dim) {
    if (neutral || roomDim >= 0 || shards.numParts(0, dim) == 1)
      return;
    auto type = cast<RankedTensorType>(operand.getType());
    roomDim = dim;
    room = type.getDimSize(dim);
    SmallVector<int64_t> low(type.getRank(), 0), high(low);
    high[dim] = 1;
    Value value = b.splat(RankedTensorType::get({}, type.getElementType()), 0);
    operand = PadOp::create(b, operand, value, low, high);
  }

  /// Goes on with `local` indices; the dims of `isHere` are the first of the updates.
  void use(const LocalIndices &local) {
    indices = local.indices;
    if (!local.isHere || !neutral)
      return;
    auto dims = llvm::seq<int64_t>(cast<RankedTensorType>(local.isHere.getType()).getRank());
    ArrayRef<int64_t> shape = cast<RankedTensorType>(updates.getType()).getShape();
    Value isHere = b.broadcast(local.isHere, shape, llvm::to_vector(dims));
    updates = b.select(isHere, updates, b.splatLike(updates, *neutral));
  }

  SmallVector<Value> finish(Value result) {
    return {roomDim < 0 ? result : b.slice(result, roomDim, 0, room)};
  }

private:
  /// Where the updates are cut along `dim`, the results of all ranks are added up; only the rank with
  /// the first update adds the operand.
  void countOperandOnce(int64_t dim) {
    // Zeros may be added by all: a table that begins as zeros then is no value of its rank, to be kept in memory.
    if (shards.numParts(1, dim) == 1 || matchPattern(operand, m_AnyZeroFloat()))
      return;
    Value begin = shards.operandBegin(1, dim);
    Value isFirst = b.compare(CompareKind::eq, begin, b.splatLike(begin, 0));
    ArrayRef<int64_t> shape = cast<RankedTensorType>(operand.getType()).getShape();
    operand = b.select(b.broadcast(isFirst, shape, {}), operand, b.splatLike(operand, -0.0));
  }
};

} // namespace

FailureOr<SmallVector<Value>> ScatterElementsOp::localize(LocalShards &shards) {
  int64_t dim = getDim();
  LocalScatter local(getLoc(), shards, getKind(), dim);
  local.makeRoom(dim);
  local.use(localIndices(local.b, shards, getType(), dim, local.indices, local.room));
  auto written = ScatterElementsOp::create(local.b, getKind(), local.operand, local.indices,
                                           local.updates, dim);
  noteWholeExtents(written, getType(), dim);
  return local.finish(written);
}

FailureOr<SmallVector<Value>> ScatterNDOp::localize(LocalShards &shards) {
  RankedTensorType tuples = getIndices().getType();
  auto updateDims = llvm::to_vector(llvm::seq<int64_t>(tuples.getRank() - 1));
  LocalScatter local(getLoc(), shards, getKind(), updateDims);
  for (int64_t dim = 0; dim < tuples.getShape().back(); ++dim)
    local.makeRoom(dim);
  local.use(localTuples(local.b, shards, getType(), /*firstDim=*/0, local.indices, local.roomDim,
                        local.room));
  auto written =
      ScatterNDOp::create(local.b, getKind(), local.operand, local.indices, local.updates);
  noteWholeExtents(written, getType(), 0, tuples.getShape().back());
  return local.finish(written);
}
