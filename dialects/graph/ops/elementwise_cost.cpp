// Costs of elementwise ops: one flop per element of the result, each operand
// read once.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

namespace {

Cost pointwiseCost(Operation *op) {
  Cost cost;
  cost.flops = cast<ShapedType>(op->getResult(0).getType()).getNumElements();
  for (Type type : op->getOperandTypes())
    cost.bytesRead += *memoryBytes(cast<ShapedType>(type));
  cost.bytesWritten = *memoryBytes(cast<ShapedType>(op->getResult(0).getType()));
  return cost;
}

} // namespace

Cost UnaryOp::getCost() { return pointwiseCost(*this); }
Cost BinaryOp::getCost() { return pointwiseCost(*this); }
Cost CompareOp::getCost() { return pointwiseCost(*this); }
Cost SelectOp::getCost() { return pointwiseCost(*this); }
Cost CastOp::getCost() { return pointwiseCost(*this); }
