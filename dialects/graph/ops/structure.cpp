// The loop and the cluster: verifiers.
#include "dialects/graph/graph.h"

#include "mlir/IR/TypeUtilities.h"

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

/// An error at `cluster` with a note at `op`, which is in it.
InFlightDiagnostic emitMemberError(ClusterOp cluster, Operation &op) {
  InFlightDiagnostic error = cluster.emitOpError();
  error.attachNote(op.getLoc()) << "the op is here";
  return error;
}

LogicalResult verifyMember(ClusterOp cluster, Operation &op) {
  if (!isa<sheaf::EmitOpInterface, sheaf::CombineOpInterface>(op)) // (C2)
    return emitMemberError(cluster, op) << "holds " << op.getName() << ", which emits no vectors";
  if (auto constant = dyn_cast<ConstantOp>(op))
    if (!isa<SplatElementsAttr>(constant.getValue())) // (C2)
      return emitMemberError(cluster, op) << "holds a constant whose elements differ";
  return success();
}

LogicalResult verifyElementTypes(ClusterOp cluster) {
  Block &body = *cluster.getBodyBlock();
  auto verifyAll = [&](ValueRange values) -> LogicalResult {
    for (Value value : values)
      if (Type element = getElementTypeOrSelf(value); !sheaf::Emitter::canCompute(element)) // (C3)
        return cluster.emitOpError()
               << "computes with " << element << ", which has no compute type";
    return success();
  };
  if (failed(verifyAll(body.getArguments())))
    return failure();
  for (Operation &op : body.without_terminator())
    if (failed(verifyAll(op.getResults())))
      return failure();
  return success();
}

LogicalResult verifySpace(ClusterOp cluster) {
  FailureOr<sheaf::IterationSpace> space = cluster.getIterationSpace();
  if (failed(space)) // (C4)
    return cluster.emitOpError("holds ops that share no iteration space");
  for (Value value : cluster.getBodyBlock()->getTerminator()->getOperands()) {
    llvm::BitVector missing = space->factorsOf(value);
    missing.flip();
    if (missing.any() && missing != space->reduced) // (C5)
      return cluster.emitOpError()
             << "yields " << value.getType() << ", which has only a part of the rows or columns";
  }
  return success();
}

} // namespace

SmallVector<Region *> LoopOp::getLoopRegions() { return {&getBody()}; }

Block::BlockArgListType LoopOp::getRegionIterArgs() {
  return getBodyBlock()->getArguments().drop_front();
}

std::optional<MutableArrayRef<OpOperand>> LoopOp::getYieldedValuesMutable() {
  return cast<YieldOp>(getBodyBlock()->getTerminator()).getOperandsMutable();
}

std::optional<ResultRange> LoopOp::getLoopResults() { return getResults(); }

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

FailureOr<sheaf::IterationSpace> ClusterOp::getIterationSpace() {
  Block &body = *getBodyBlock();
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  SmallVector<Value> values(body.getArguments());
  llvm::append_range(values, body.getTerminator()->getOperands());
  return sheaf::IterationSpace::of(ops, values);
}

LogicalResult ClusterOp::verifyRegions() {
  Block &body = *getBodyBlock();
  if (failed(verifyAgree(*this, "body argument", body.getArgumentTypes(), "operand",
                         getOperandTypes())) || // (C1)
      failed(verifyAgree(*this, "yielded value", body.getTerminator()->getOperandTypes(), "result",
                         getResultTypes())))
    return failure();
  for (Operation &op : body.without_terminator())
    if (failed(verifyMember(*this, op)))
      return failure();
  if (failed(verifyElementTypes(*this)))
    return failure();
  return verifySpace(*this);
}
