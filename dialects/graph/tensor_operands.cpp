// What every op of the graph dialect asks of its operands.
#include "dialects/graph/graph.h"

using namespace mlir;

LogicalResult sheaf::graph::checkTensorOperands(std::optional<Location> location,
                                                ValueRange operands) {
  for (auto [index, type] : llvm::enumerate(operands.getTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !memoryBytes(tensor))
      return emitOptionalError(location, "operand #", index,
                               " must be a statically shaped tensor of floats or integers, but is ",
                               type);
  }
  return success();
}
