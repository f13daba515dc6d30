// How graph.broadcast and graph.reshape lie in a cluster; neither computes anything there.
#include "dialects/graph/graph.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

Value BroadcastOp::emit(Emitter &, ValueRange operands) { return operands[0]; }

void BroadcastOp::alignDims(DimAligner &aligner) {
  ArrayRef<int64_t> from = cast<RankedTensorType>(getOperand().getType()).getShape();
  ArrayRef<int64_t> to = cast<RankedTensorType>(getType()).getShape();
  for (auto [operandDim, resultDim] : llvm::enumerate(getDims()))
    if (from[operandDim] == to[resultDim])
      aligner.align(getOperand(), {static_cast<int64_t>(operandDim)}, getResult(), {resultDim});
}

Value ReshapeOp::emit(Emitter &, ValueRange operands) { return operands[0]; }

void ReshapeOp::alignDims(DimAligner &aligner) {
  auto dims = [](Value value) {
    return llvm::to_vector(llvm::seq(cast<RankedTensorType>(value.getType()).getRank()));
  };
  aligner.align(getOperand(), dims(getOperand()), getResult(), dims(getResult()));
}
