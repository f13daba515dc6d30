// Semantics of graph.resize.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf::graph;

LogicalResult ResizeOp::verify() {
  RankedTensorType operand = getOperand().getType();
  RankedTensorType result = getResult().getType();
  int64_t rank = operand.getRank();
  if (result.getRank() != rank || result.getElementType() != operand.getElementType())
    return emitOpError("operand (")
           << operand << ") and result (" << result << ") must agree in rank and element type";
  if (int64_t(getScales().size()) != rank) // (C1)
    return emitOpError("has ") << getScales().size() << " scales, but the operand has rank "
                               << rank;
  for (double scale : getScales())
    if (!(scale > 0))
      return emitOpError("scale ") << scale << " must be positive";
  if (!getRegion().empty() && int64_t(getRegion().size()) != 2 * rank)
    return emitOpError("region has ")
           << getRegion().size() << " entries, but must be empty or have " << 2 * rank;
  if (getCoordinates() == ResizeCoordinates::tf_crop_and_resize && getRegion().empty())
    return emitOpError("needs a region for tf_crop_and_resize");
  return success();
}

bool ResizeOp::keepsPlaces(int64_t dim) {
  int64_t rank = getType().getRank();
  if (getOperand().getType().getDimSize(dim) != getType().getDimSize(dim))
    return false;
  if (getCoordinates() == ResizeCoordinates::tf_crop_and_resize)
    return getRegion()[dim] == 0.0 && getRegion()[rank + dim] == 1.0;
  return getScales()[dim] == 1.0;
}
