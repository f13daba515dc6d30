// Gradients of annotations: a gradient lives where its value lives.
#include "dialects/dist/dist.h"

using namespace mlir;
using namespace sheaf::dist;

SmallVector<Value> ConstraintOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  return {ConstraintOp::create(builder, getLoc(), resultGradients.front(), getSharding())};
}

SmallVector<Value> MarkOp::buildGradient(OpBuilder &, ValueRange resultGradients) {
  return {resultGradients.front()};
}

/// Gradients flow the other way: what axes may not pass from `x` to `y`, they may not from the gradient of
/// `x` to that of `y`.
SmallVector<Value> BarrierOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  Direction direction = getDirection();
  if (direction == Direction::forward)
    direction = Direction::backward;
  else if (direction == Direction::backward)
    direction = Direction::forward;
  return {BarrierOp::create(builder, getLoc(), resultGradients.front(), direction)};
}
