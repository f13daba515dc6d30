// Semantics of the normalizations.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf::graph;

/// `axis` is a dim of the operand and each parameter has the shape of the dims from there on.
static LogicalResult verifyRowNorm(Operation *op, RankedTensorType operand, int64_t axis,
                                   ArrayRef<std::pair<StringRef, Value>> parameters) {
  if (axis < 0 || axis >= operand.getRank()) // (C1)
    return op->emitOpError("axis ")
           << axis << " is no dim of an operand of rank " << operand.getRank();
  for (auto [name, value] : parameters) {
    if (!value)
      continue;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
    if (shape != operand.getShape().drop_front(axis)) // (C2)
      return op->emitOpError() << name << " has shape [" << shape
                               << "], but the dims from axis on have ["
                               << operand.getShape().drop_front(axis) << "]";
  }
  return success();
}

LogicalResult LayerNormOp::verify() {
  if (getBias() && !getScale()) // (C3)
    return emitOpError("has a bias but no scale; give a scale of ones");
  return verifyRowNorm(*this, getOperand().getType(), getAxis(),
                       {{"scale", getScale()}, {"bias", getBias()}});
}

LogicalResult RmsNormOp::verify() {
  return verifyRowNorm(*this, getOperand().getType(), getAxis(), {{"scale", getScale()}});
}

/// Each parameter has one element per channel; channels are dim 1.
static LogicalResult verifyChannels(Operation *op, RankedTensorType operand,
                                    ArrayRef<std::pair<StringRef, Value>> parameters) {
  if (operand.getRank() < 2) // (C1)
    return op->emitOpError("operand must have channels as dim 1, but has rank ")
           << operand.getRank();
  for (auto [name, value] : parameters) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
    if (shape != operand.getShape().slice(1, 1)) // (C2)
      return op->emitOpError() << name << " has shape [" << shape << "], but must have ["
                               << operand.getDimSize(1) << "], one per channel";
  }
  return success();
}

LogicalResult BatchNormOp::verify() {
  return verifyChannels(*this, getOperand().getType(),
                        {{"scale", getScale()},
                         {"bias", getBias()},
                         {"mean", getMean()},
                         {"variance", getVariance()}});
}

LogicalResult GroupNormOp::verify() {
  if (failed(verifyChannels(*this, getOperand().getType(),
                            {{"scale", getScale()}, {"bias", getBias()}})))
    return failure();
  int64_t channels = getOperand().getType().getDimSize(1), groups = getGroups();
  if (groups < 1 || channels % groups != 0) // (C1)
    return emitOpError("dim 1 (") << channels << ") must be a multiple of groups (" << groups
                                  << ")";
  return success();
}
