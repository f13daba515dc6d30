// Aligns the dims of ops whose operands and results have one shape.
#include "dialects/interfaces/dim_aligner.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

void sheaf::DimAligner::alignSameShape(Operation *op) {
  Value result = op->getResult(0);
  int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
  for (Value operand : op->getOperands())
    for (int64_t dim = 0; dim < rank; ++dim)
      align(operand, {dim}, result, {dim});
}
