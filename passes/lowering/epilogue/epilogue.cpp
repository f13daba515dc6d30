// What the epilogue patterns share.
#include "passes/lowering/epilogue/epilogue.h"

#include "runtime/abi/calls.h"

using namespace mlir;

namespace sheaf::lowering {

exec::ApplyOp findUnfinishedCall(Value value) {
  auto call = value.getDefiningOp<exec::ApplyOp>();
  bool isFusable =
      call && value.hasOneUse() && !call.getParam("activation") &&
      (call.getCallee() == abi::calls::contract || call.getCallee() == abi::calls::conv);
  return isFusable ? call : exec::ApplyOp();
}

exec::ApplyOp absorb(PatternRewriter &rewriter, Operation *op, exec::ApplyOp call, unsigned at,
                     ValueRange extra) {
  SmallVector<Value> operands(call.getIns());
  operands.insert(operands.begin() + at, extra.begin(), extra.end());
  Location loc = rewriter.getFusedLoc({call.getLoc(), op->getLoc()});
  auto finished = exec::ApplyOp::create(rewriter, loc, call.getResultTypes(), call.getCallee(),
                                        operands, call.getParamsAttr());
  rewriter.replaceOp(op, finished);
  rewriter.eraseOp(call);
  return finished;
}

} // namespace sheaf::lowering
