// Semantics of graph.rotary.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf::graph;

LogicalResult RotaryOp::verify() {
  RankedTensorType operand = getOperand().getType();
  RankedTensorType table = getCosine().getType();
  int64_t rank = operand.getRank();
  if (rank < 1 || table.getRank() != rank) // (C1)
    return emitOpError("operand and cosine must have one rank of at least 1, but have ")
           << rank << " and " << table.getRank();
  for (int64_t d = 0; d + 1 < rank; ++d)
    if (table.getDimSize(d) != 1 && table.getDimSize(d) != operand.getDimSize(d))
      return emitOpError("cosine dim ") << d << " (" << table.getDimSize(d) << ") must be 1 or "
                                        << operand.getDimSize(d) << ", the operand's";
  if (2 * table.getShape().back() > operand.getShape().back()) // (C2)
    return emitOpError("rotates twice ")
           << table.getShape().back() << " elements, but the last dim has "
           << operand.getShape().back();
  if (table.getElementType() != operand.getElementType()) // (C3)
    return emitOpError("operand and cosine must have one element type, but have ")
           << operand.getElementType() << " and " << table.getElementType();
  return success();
}
