// Rules of the ops that compute: library calls and clusters.
#include "dialects/exec/exec.h"
#include "passes/lowering/bufferize/bufferizer.h"
#include "passes/lowering/call_rules.h"

using namespace mlir;

namespace sheaf::lowering {

bool hasVectors(exec::BufferType buffer) {
  SmallVector<int64_t> strides = buffer.getStrides();
  for (int64_t dim = buffer.getRank(); dim-- > 0;)
    if (buffer.getShape()[dim] != 1)
      return strides[dim] == 0 || strides[dim] == 1;
  return true;
}

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
  auto call = exec::CallOp::create(bufferizer.builder(), op.getLoc(), op.getCallee(),
                                   op.getParamsAttr(), operands, bufferizeResults(op, bufferizer));
  if (Attribute parameters = op->getAttr(exec::kMovedParameters))
    call->setAttr(exec::kMovedParameters, parameters);
  return success();
}

LogicalResult bufferizeCluster(graph::ClusterOp op, Bufferizer &bufferizer) {
  auto isEmpty = [](Type type) { return cast<RankedTensorType>(type).getNumElements() == 0; };
  if (llvm::all_of(op.getResultTypes(), isEmpty)) {
    bufferizeResults(op, bufferizer);
    return success();
  }
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
