// Semantics of the losses.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf::graph;

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> location, Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto logits = cast<RankedTensorType>(adaptor.getLogits().getType());
  auto labels = cast<RankedTensorType>(adaptor.getLabels().getType());
  if (logits.getRank() < 1 || labels.getShape() != logits.getShape().drop_back()) // (C1)
    return emitOptionalError(location, "labels (", labels,
                             ") must have the leading shape of logits (", logits, ")");
  Type element =
      logits.getElementType().isF64() ? logits.getElementType() : Type(Float32Type::get(context));
  types.push_back(RankedTensorType::get(labels.getShape(), element));
  return success();
}

LogicalResult CrossEntropyOp::verify() {
  double smoothing = getLabelSmoothing().convertToDouble();
  if (!(smoothing >= 0 && smoothing <= 1)) // (C2)
    return emitOpError("label smoothing must be in [0, 1], but is ") << smoothing;
  return success();
}
