// Gradients of the scatters, exact where several updates meet at one place.
//
// `set`: the last update in row-major order counts, the others get 0. `max` and `min`: what shares the
// extreme, old element or updates, shares its gradient equally. `mul`: zeros do no harm.
#include "dialects/graph/primitive_builder.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

/// What the formulas are written with: an op, and its tensors in a type wide enough to compute in.
template <typename Op> struct ScatterGradient {
  PrimitiveBuilder &b;
  Op op;
  Value operand, updates, result, g;

  SmallVector<Value> build(ScatterKind kind);

private:
  SmallVector<Value> buildSet();
  SmallVector<Value> buildProduct();
  SmallVector<Value> buildExtreme();

  /// The elements of `from` at the places that the updates go to.
  Value take(Value from);
  /// `updates` combined into `onto`.
  Value put(ScatterKind kind, Value onto, Value updates);

  Value splatLike(Value value, double number) { return b.splatLike(value, number); }
  Value mul(Value x, Value y) { return b.binary(BinaryKind::mul, x, y); }
  Type element() { return cast<RankedTensorType>(g.getType()).getElementType(); }
};

template <> Value ScatterGradient<ScatterElementsOp>::take(Value from) {
  return GatherElementsOp::create(b, from, op.getIndices(), op.getDim());
}

template <>
Value ScatterGradient<ScatterElementsOp>::put(ScatterKind kind, Value onto, Value updates) {
  return ScatterElementsOp::create(b, kind, onto, op.getIndices(), updates, op.getDim());
}

template <> Value ScatterGradient<ScatterNDOp>::take(Value from) {
  if (op.getType().getRank() == 0) // Of one element; gather_nd needs a dim.
    return b.broadcast(from, op.getUpdates().getType().getShape(), {});
  return GatherNDOp::create(b, from, op.getIndices(), /*batchDims=*/0);
}

template <> Value ScatterGradient<ScatterNDOp>::put(ScatterKind kind, Value onto, Value updates) {
  return ScatterNDOp::create(b, kind, onto, op.getIndices(), updates);
}

template <typename Op> SmallVector<Value> ScatterGradient<Op>::build(ScatterKind kind) {
  switch (kind) {
  case ScatterKind::set:
    return buildSet();
  case ScatterKind::add:
    return {g, Value(), take(g)};
  case ScatterKind::mul:
    return buildProduct();
  case ScatterKind::max:
  case ScatterKind::min:
    return buildExtreme();
  }
  llvm_unreachable("a kind of scatter");
}

/// Each update is numbered; it counts where its number is the one that stays.
template <typename Op> SmallVector<Value> ScatterGradient<Op>::buildSet() {
  auto type = cast<RankedTensorType>(updates.getType());
  Type index = b.getI64Type();
  Value count = IotaOp::create(b, RankedTensorType::get(type.getNumElements(), index), 0);
  Value numbers = b.reshape(count, type.getShape());
  Value last = put(ScatterKind::set, b.splat(op.getType().clone(index), 0.0), numbers);
  Value counts = b.compare(CompareKind::eq, take(last), numbers);
  return {put(ScatterKind::set, g, splatLike(updates, 0.0)), Value(),
          b.select(counts, take(g), splatLike(updates, 0.0))};
}

/// The product of what meets at a place but for one update: the product of all that is not zero over
/// that update, or nothing when one of the others is zero.
template <typename Op> SmallVector<Value> ScatterGradient<Op>::buildProduct() {
  Value isZero = b.compare(CompareKind::eq, updates, splatLike(updates, 0.0));
  Value zeros = b.cast(isZero, element());
  Value nonzero = b.select(isZero, splatLike(updates, 1.0), updates);
  Value zerosAtPlace = take(put(ScatterKind::add, splatLike(operand, 0.0), zeros));
  Value hasOtherZero = b.compare(CompareKind::gt, zerosAtPlace, zeros);
  Value product = take(mul(g, put(ScatterKind::mul, operand, nonzero)));
  Value toUpdates = b.binary(BinaryKind::div, product, nonzero);
  return {mul(g, put(ScatterKind::mul, splatLike(operand, 1.0), updates)), Value(),
          b.select(hasOtherZero, splatLike(updates, 0.0), toUpdates)};
}

template <typename Op> SmallVector<Value> ScatterGradient<Op>::buildExtreme() {
  Value stays = b.compare(CompareKind::eq, operand, result);
  Value arrives = b.compare(CompareKind::eq, updates, take(result));
  Value count = put(ScatterKind::add, b.cast(stays, element()), b.cast(arrives, element()));
  Value share = b.binary(BinaryKind::div, g, count);
  return {b.select(stays, share, splatLike(share, 0.0)), Value(),
          b.select(arrives, take(share), splatLike(updates, 0.0))};
}

template <typename Op>
SmallVector<Value> buildScatterGradient(Op op, OpBuilder &builder, Value gradient) {
  PrimitiveBuilder b(op.getLoc(), builder);
  Type element = op.getType().getElementType();
  bool isMoved = op.getKind() == ScatterKind::set || op.getKind() == ScatterKind::add;
  Type compute = isMoved ? element : computeTypeOf(element);
  auto widen = [&](Value x) { return b.cast(x, compute); };
  ScatterGradient<Op> gradients{b,
                                op,
                                widen(op.getOperand()),
                                widen(op.getUpdates()),
                                widen(op.getResult()),
                                widen(gradient)};
  SmallVector<Value> found = gradients.build(op.getKind());
  for (Value &value : found)
    if (value)
      value = b.cast(value, element);
  return found;
}

} // namespace

SmallVector<Value> ScatterElementsOp::buildGradient(OpBuilder &builder,
                                                    ValueRange resultGradients) {
  return buildScatterGradient(*this, builder, resultGradients.front());
}

SmallVector<Value> ScatterNDOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  return buildScatterGradient(*this, builder, resultGradients.front());
}
