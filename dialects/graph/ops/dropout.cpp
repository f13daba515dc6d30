// Dropout: verifier, fold, gradient, and what it is in primitive ops, whole and on local shards.
#include "dialects/graph/ops/random_part.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

LogicalResult DropoutOp::verify() {
  double ratio = getRatio().convertToDouble();
  if (!(ratio >= 0.0 && ratio < 1.0)) // (C1) No NaN is.
    return emitOpError("ratio must be in [0, 1), found ") << ratio;
  if (getCounter() && !getActive()) // (C2)
    return emitOpError("has a counter, but is not active");
  return success();
}

OpFoldResult DropoutOp::fold(FoldAdaptor) {
  return getRatio().isZero() ? OpFoldResult(getOperand()) : OpFoldResult();
}

/// The mask is drawn again by its counter: nothing but the op itself has to be known. Where the two are not apart
/// on purpose, they become one, and the mask is kept, of a byte per element.
SmallVector<Value> DropoutOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  Value back = DropoutOp::create(builder, getLoc(), getType(), resultGradients.front(), getRatio(),
                                 getSeed(), getActive(), getCounter());
  SmallVector<Value> gradients(getNumOperands()); // What counts steps has none.
  gradients.front() = back;
  return gradients;
}

/// `x` where `isKept`, scaled up by what is not.
static Value dropped(PrimitiveBuilder &b, Value x, Value isKept, double ratio) {
  Type element = typeOf(x).getElementType();
  Value wide = b.cast(x, computeTypeOf(element));
  Value scaled = b.cast(b.binary(BinaryKind::mul, wide, 1.0 / (1.0 - ratio)), element);
  return b.select(isKept, scaled, b.splatLike(x, 0.0));
}

SmallVector<Value> DropoutOp::decompose(OpBuilder &builder) {
  if (!getActive())
    return {getOperand()};
  PrimitiveBuilder b(getLoc(), builder);
  double ratio = getRatio().convertToDouble();
  Value isKept = RandomOp::create(b, getType().clone(b.getI1Type()), RandomKind::bernoulli,
                                  getSeed(), 1.0 - ratio, 0.0, getCounter());
  return {dropped(b, getOperand(), isKept, ratio)};
}

FailureOr<SmallVector<Value>> DropoutOp::localize(LocalShards &shards) {
  Value x = shards.operands().front();
  if (!getActive())
    return SmallVector<Value>{x};
  PrimitiveBuilder b(getLoc(), shards.builder());
  double ratio = getRatio().convertToDouble();
  auto isKept =
      RandomOp::create(b, typeOf(x).clone(b.getI1Type()), RandomKind::bernoulli, getSeed(),
                       1.0 - ratio, 0.0, getCounter() ? shards.operands()[1] : Value());
  placeInWhole(isKept, getType().getShape(), shards);
  return SmallVector<Value>{dropped(b, x, isKept, ratio)};
}
