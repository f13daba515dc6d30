// Semantics of softmax and log_softmax.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf::graph;

template <typename SoftmaxLikeOp> static LogicalResult verifySoftmax(SoftmaxLikeOp op) {
  int64_t rank = op.getOperand().getType().getRank();
  int64_t dim = op.getDim();
  if (dim < 0 || dim >= rank) // (C1)
    return op.emitOpError("dim ") << dim << " is no dim of an operand of rank " << rank;
  return success();
}

LogicalResult SoftmaxOp::verify() { return verifySoftmax(*this); }
LogicalResult LogSoftmaxOp::verify() { return verifySoftmax(*this); }
