// The cost of an op that reads its operands and writes its results once.
#include "dialects/graph/ops/op_cost.h"

#include "dialects/support/stored_size.h"

using namespace mlir;

static int64_t bytesOf(TypeRange types) {
  int64_t bytes = 0;
  for (Type type : types)
    bytes += *sheaf::memoryBytes(cast<ShapedType>(type));
  return bytes;
}

sheaf::Cost sheaf::graph::costOf(Operation *op, int64_t flops) {
  return {flops, bytesOf(op->getOperandTypes()), bytesOf(op->getResultTypes())};
}
