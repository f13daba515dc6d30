// Rules of the ops that compute: library calls and clusters.
#include "passes/lowering/bufferize/bufferizer.h"
#include "passes/lowering/call_rules.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

SmallVector<Value> bufferizeResults(Operation *op, Bufferizer &bufferizer) {
  SmallVector<Value> results;
  for (OpResult result : op->getResults()) {
    results.push_back(bufferizer.destinationOf(result));
    bufferizer.set(result, results.back());
  }
  return results;
}

LogicalResult bufferizeApply(exec::ApplyOp op, Bufferizer &bufferizer) {
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(bufferizer.getAccepted(operand.get(), [&](exec::BufferType type) {
      return acceptsOperand(op, operand.getOperandNumber(), type);
    }));
  exec::CallOp::create(bufferizer.builder(), op.getLoc(), op.getCallee(), op.getParamsAttr(),
                       operands, bufferizeResults(op, bufferizer));
  return success();
}

/// Kernels read vectors along the last dim: elements side by side, or one repeated.
bool hasVectors(exec::BufferType buffer) {
  for (auto [extent, stride] :
       llvm::reverse(llvm::zip_equal(buffer.getShape(), buffer.getStrides())))
    if (extent != 1)
      return stride == 0 || stride == 1;
  return true;
}

LogicalResult bufferizeCluster(graph::ClusterOp op, Bufferizer &bufferizer) {
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(bufferizer.getAccepted(operand, hasVectors));
  exec::KernelOp kernel = bufferizer.kernels().get(op);
  exec::LaunchOp::create(bufferizer.builder(), op.getLoc(), kernel.getSymName(), operands,
                         bufferizeResults(op, bufferizer));
  return success();
}

} // namespace

void addInstructionRules(BufferizeRules &rules) {
  rules.add(bufferizeApply);
  rules.add(bufferizeCluster);
}

} // namespace sheaf::lowering
