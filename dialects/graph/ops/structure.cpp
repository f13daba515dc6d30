// The loop and the cluster: verifiers.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

/// Checks that `found` are of the types of `expected`; the words name the two in messages.
LogicalResult verifyAgree(Operation *op, StringRef foundWhat, TypeRange found,
                          StringRef expectedWhat, TypeRange expected) {
  if (found.size() != expected.size())
    return op->emitOpError() << found.size() << " " << foundWhat << "s for " << expected.size()
                             << " " << expectedWhat << "s";
  for (auto [index, types] : llvm::enumerate(llvm::zip_equal(found, expected)))
    if (std::get<0>(types) != std::get<1>(types))
      return op->emitOpError() << foundWhat << " " << index << " is of type " << std::get<0>(types)
                               << ", " << expectedWhat << " " << index << " of type "
                               << std::get<1>(types);
  return success();
}

/// A body op may be emitted, or combines all columns of a row.
LogicalResult verifyClusterMember(ClusterOp cluster, Operation &op) {
  if (isa<sheaf::EmitOpInterface, YieldOp>(op))
    return success();
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce) {
    InFlightDiagnostic error = cluster.emitOpError("cannot emit ") << op.getName(); // (C2)
    error.attachNote(op.getLoc()) << "the op is here";
    return error;
  }
  int64_t rank = reduce.getOperand().getType().getRank();
  auto columns = llvm::seq<int64_t>(cluster.getRows(), rank);
  if (!llvm::equal(reduce.getDims(), columns)) { // (C2)
    InFlightDiagnostic error = cluster.emitOpError("has ")
                               << cluster.getRows()
                               << " rows dims, but a reduction in it is not over all other dims";
    error.attachNote(op.getLoc()) << "the reduction is here";
    return error;
  }
  return success();
}

} // namespace

LogicalResult LoopOp::verify() {
  if (getTripCount() < 0) // (C1)
    return emitOpError("trip count ") << getTripCount() << " is negative";
  Block *body = getBodyBlock();
  SmallVector<Type> arguments{RankedTensorType::get({}, IntegerType::get(getContext(), 64))};
  llvm::append_range(arguments, getInits().getTypes());
  if (failed(verifyAgree(*this, "body argument", body->getArgumentTypes(), "trip index and operand",
                         arguments)) || // (C2)
      failed(verifyAgree(*this, "result", getResultTypes(), "operand", getInits().getTypes())))
    return failure();
  return verifyAgree(*this, "yielded value", body->getTerminator()->getOperandTypes(), "result",
                     getResultTypes());
}

LogicalResult ClusterOp::verify() {
  if (getRows() < 0)
    return emitOpError("rows ") << getRows() << " is negative";
  Block *body = getBodyBlock();
  if (failed(verifyAgree(*this, "body argument", body->getArgumentTypes(), "operand",
                         getOperandTypes())) || // (C1)
      failed(verifyAgree(*this, "yielded value", body->getTerminator()->getOperandTypes(), "result",
                         getResultTypes())))
    return failure();
  for (Operation &op : *body)
    if (failed(verifyClusterMember(*this, op)))
      return failure();
  return success();
}
