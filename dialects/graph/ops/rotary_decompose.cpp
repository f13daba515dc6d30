// Rotary position embedding in slices, products and a concatenation.
#include "dialects/graph/ops/rotary_pairs.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace sheaf::graph;

/// Puts the pairs of `first` and `second` side by side again, as `[.., 2r]`.
static Value joinPairs(PrimitiveBuilder &b, Value first, Value second, bool interleaved) {
  SmallVector<int64_t> shape(shapeOf(first));
  int64_t last = shape.size() - 1;
  if (!interleaved)
    return ConcatOp::create(b, ValueRange{first, second}, last);
  SmallVector<int64_t> paired(shape);
  paired.push_back(1);
  Value joined = ConcatOp::create(
      b, ValueRange{b.reshape(first, paired), b.reshape(second, paired)}, last + 1);
  shape[last] *= 2;
  return b.reshape(joined, shape);
}

SmallVector<Value> RotaryOp::decompose(OpBuilder &builder) {
  PrimitiveBuilder b(getLoc(), builder);
  RankedTensorType type = getOperand().getType();
  Type compute = computeTypeOf(type.getElementType());
  int64_t last = type.getRank() - 1, r = getCosine().getType().getShape().back();
  Value first = b.cast(takeOfPairs(b, getOperand(), r, 0, getInterleaved()), compute);
  Value second = b.cast(takeOfPairs(b, getOperand(), r, 1, getInterleaved()), compute);
  SmallVector<int64_t> allDims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  Value cosine = b.broadcast(b.cast(getCosine(), compute), shapeOf(first), allDims);
  Value sine = b.broadcast(b.cast(getSine(), compute), shapeOf(first), allDims);
  auto product = [&](Value x, Value y) { return b.binary(BinaryKind::mul, x, y); };
  Value newFirst = b.binary(BinaryKind::sub, product(first, cosine), product(second, sine));
  Value newSecond = b.binary(BinaryKind::add, product(second, cosine), product(first, sine));
  Value rotated = joinPairs(b, b.cast(newFirst, type.getElementType()),
                            b.cast(newSecond, type.getElementType()), getInterleaved());
  if (2 * r == type.getDimSize(last))
    return {rotated};
  Value rest = b.slice(getOperand(), last, 2 * r, type.getDimSize(last));
  return {ConcatOp::create(b, ValueRange{rotated, rest}, last)};
}
