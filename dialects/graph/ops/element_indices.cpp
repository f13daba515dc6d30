// Checks the indices of gather_elements and scatter_elements.
#include "dialects/graph/ops/element_indices.h"

using namespace mlir;

LogicalResult sheaf::graph::checkElementIndices(std::optional<Location> location,
                                                RankedTensorType operand, RankedTensorType indices,
                                                int64_t dim) {
  if (operand.getRank() != indices.getRank() || dim < 0 || dim >= operand.getRank())
    return emitOptionalError(location, "operand (rank ", operand.getRank(), ") and indices (rank ",
                             indices.getRank(), ") must have one rank, of which dim ", dim,
                             " is a dim");
  for (int64_t d = 0; d < operand.getRank(); ++d)
    if (d != dim && indices.getDimSize(d) > operand.getDimSize(d))
      return emitOptionalError(location, "indices dim ", d, " (", indices.getDimSize(d),
                               ") is larger than the operand's (", operand.getDimSize(d), ")");
  return success();
}
