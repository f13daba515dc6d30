// Repeats the body of a loop, so that its function is a straight list of ops.
#include "passes/lowering/unroll_loop.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace sheaf::lowering {

LogicalResult unrollLoop(graph::LoopOp loop) {
  constexpr int64_t maxOps = 200'000;
  Block &body = *loop.getBodyBlock();
  int64_t numOps = llvm::range_size(body.without_terminator());
  int64_t numTrips = loop.getTripCount();
  if (numOps > 0 && numTrips > maxOps / numOps)
    return loop.emitError() << "the loop of " << numTrips << " trips over " << numOps
                            << " ops is too long; " << maxOps << " ops are the limit";
  OpBuilder builder(loop);
  SmallVector<Value> carried(loop.getInits());
  auto indexType = cast<RankedTensorType>(body.getArgument(0).getType());
  for (int64_t trip = 0; trip < numTrips; ++trip) {
    IRMapping mapping;
    auto index = DenseElementsAttr::get(indexType, builder.getI64IntegerAttr(trip));
    mapping.map(body.getArgument(0), graph::ConstantOp::create(builder, loop.getLoc(), index));
    mapping.map(body.getArguments().drop_front(), carried);
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    for (auto [value, next] : llvm::zip(carried, body.getTerminator()->getOperands()))
      value = mapping.lookupOrDefault(next);
  }
  loop.replaceAllUsesWith(carried);
  loop.erase();
  return success();
}

} // namespace sheaf::lowering
