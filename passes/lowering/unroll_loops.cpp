// Repeats the bodies of loops, so that programs are straight lists of instructions.
#include "passes/lowering/passes.h"

#include "mlir/IR/IRMapping.h"

namespace sheaf::lowering {
#define GEN_PASS_DEF_LOWERINGUNROLLLOOPSPASS
#include "passes/lowering/passes.h.inc"

using namespace mlir;

namespace {

struct UnrollLoops : impl::LoweringUnrollLoopsPassBase<UnrollLoops> {
  using LoweringUnrollLoopsPassBase::LoweringUnrollLoopsPassBase;

  void runOnOperation() override {
    // Innermost first, as the walk goes.
    SmallVector<graph::LoopOp> loops;
    getOperation().walk([&](graph::LoopOp loop) { loops.push_back(loop); });
    for (graph::LoopOp loop : loops)
      if (failed(unroll(loop)))
        return signalPassFailure();
  }

  LogicalResult unroll(graph::LoopOp loop);
};

LogicalResult UnrollLoops::unroll(graph::LoopOp loop) {
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

} // namespace
} // namespace sheaf::lowering
