// Rules of the ops that only show the same elements in another order or shape.
#include "dialects/dist/dist.h"
#include "passes/lowering/bufferize/bufferizer.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

StridedView viewOf(Value tensor, Bufferizer &bufferizer) {
  return StridedView::of(cast<exec::BufferType>(bufferizer.get(tensor).getType()));
}

LogicalResult bufferizeReshape(graph::ReshapeOp op, Bufferizer &bufferizer) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  Value source = bufferizer.getAccepted(op.getOperand(), [&](exec::BufferType type) {
    return StridedView::of(type).reshaped(shape).has_value();
  });
  auto type = cast<exec::BufferType>(source.getType());
  bufferizer.set(op, bufferizer.view(source, *StridedView::of(type).reshaped(shape)));
  return success();
}

LogicalResult bufferizeTranspose(graph::TransposeOp op, Bufferizer &bufferizer) {
  StridedView view = viewOf(op.getOperand(), bufferizer).transposed(op.getPermutation());
  bufferizer.set(op, bufferizer.view(bufferizer.get(op.getOperand()), view));
  return success();
}

LogicalResult bufferizeSlice(graph::SliceOp op, Bufferizer &bufferizer) {
  StridedView view =
      viewOf(op.getOperand(), bufferizer).sliced(op.getStarts(), op.getLimits(), op.getStrides());
  bufferizer.set(op, bufferizer.view(bufferizer.get(op.getOperand()), view));
  return success();
}

LogicalResult bufferizeBroadcast(graph::BroadcastOp op, Bufferizer &bufferizer) {
  StridedView view =
      viewOf(op.getOperand(), bufferizer).broadcast(op.getType().getShape(), op.getDims());
  bufferizer.set(op, bufferizer.view(bufferizer.get(op.getOperand()), view));
  return success();
}

LogicalResult bufferizeReverse(graph::ReverseOp op, Bufferizer &bufferizer) {
  StridedView view = viewOf(op.getOperand(), bufferizer).reversed(op.getDims());
  bufferizer.set(op, bufferizer.view(bufferizer.get(op.getOperand()), view));
  return success();
}

/// What is done with it comes later, since ops are in order.
LogicalResult bufferizeFence(dist::FenceOp op, Bufferizer &bufferizer) {
  bufferizer.set(op, bufferizer.get(op.getOperand()));
  return success();
}

LogicalResult bufferizeConstant(graph::ConstantOp op, Bufferizer &bufferizer) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  auto type = cast<RankedTensorType>(op.getType());
  if (!elements || !elements.isSplat() || type.getNumElements() <= 1) {
    exec::VariableOp variable = bufferizer.variables().constant(op.getLoc(), op.getValue());
    if (!variable)
      return failure();
    bufferizer.set(op, bufferizer.declare(variable));
    return success();
  }
  // A splat is one element, repeated.
  auto scalar = DenseElementsAttr::get(RankedTensorType::get({}, type.getElementType()),
                                       elements.getSplatValue<Attribute>());
  Value one = bufferizer.declare(bufferizer.variables().constant(op.getLoc(), scalar));
  StridedView view = StridedView().broadcast(type.getShape(), {});
  bufferizer.set(op, bufferizer.view(one, view));
  return success();
}

} // namespace

void addViewRules(BufferizeRules &rules) {
  rules.add(bufferizeReshape);
  rules.add(bufferizeTranspose);
  rules.add(bufferizeSlice);
  rules.add(bufferizeBroadcast);
  rules.add(bufferizeReverse);
  rules.add(bufferizeConstant);
  rules.add(bufferizeFence);
}

} // namespace sheaf::lowering
