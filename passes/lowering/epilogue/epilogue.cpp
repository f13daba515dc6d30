// What the epilogue patterns share.
#include "passes/lowering/epilogue/epilogue.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "runtime/abi/calls.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace sheaf::lowering {

exec::ApplyOp findUnfinishedCall(Value value) {
  auto call = value.getDefiningOp<exec::ApplyOp>();
  bool isFusable =
      call && value.hasOneUse() && call.getNumResults() == 1 && !call.getParam("activation") &&
      !call.getParam("derivative") &&
      (call.getCallee() == abi::calls::contract || call.getCallee() == abi::calls::conv);
  return isFusable ? call : exec::ApplyOp();
}

/// Erases those of `ops` that nothing uses, and what they alone needed.
static void eraseDead(PatternRewriter &rewriter, llvm::SetVector<Operation *> ops) {
  while (!ops.empty()) {
    Operation *op = ops.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        ops.insert(producer);
    rewriter.eraseOp(op);
  }
}

exec::ApplyOp absorb(PatternRewriter &rewriter, Operation *op, exec::ApplyOp call, unsigned at,
                     ValueRange extra) {
  SmallVector<Value> operands(call.getIns());
  operands.insert(operands.begin() + at, extra.begin(), extra.end());
  Location loc = rewriter.getFusedLoc({call.getLoc(), op->getLoc()});
  auto finished = exec::ApplyOp::create(rewriter, loc, call.getResultTypes(), call.getCallee(),
                                        operands, call.getParamsAttr());
  llvm::SetVector<Operation *> producers;
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp())
      producers.insert(producer);
  rewriter.replaceOp(op, reshaped(rewriter, op->getLoc(), finished.getResult(0),
                                  cast<RankedTensorType>(op->getResult(0).getType())));
  eraseDead(rewriter, std::move(producers));
  return finished;
}

Value throughReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<graph::ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

Value throughOwnReshapes(Value value) {
  auto reshape = value.getDefiningOp<graph::ReshapeOp>();
  return reshape && value.hasOneUse() ? reshape.getOperand() : value;
}

Value reshaped(OpBuilder &builder, Location loc, Value value, RankedTensorType type) {
  return value.getType() == type ? value : graph::ReshapeOp::create(builder, loc, type, value);
}

ColumnDims columnDims(exec::ApplyOp contract) {
  auto sizeOf = [&](StringRef name) -> int64_t {
    auto dims = dyn_cast_or_null<DenseI64ArrayAttr>(contract.getParam(name));
    return dims ? dims.size() : 0;
  };
  int64_t rhsRank = cast<RankedTensorType>(contract.getIns()[1].getType()).getRank();
  int64_t rank = cast<RankedTensorType>(contract.getResultTypes()[0]).getRank();
  int64_t count = rhsRank - sizeOf("rhs_batch") - sizeOf("rhs_contract");
  return {rank - count, count};
}

bool isPlainProduct(exec::ApplyOp call) {
  if (call.getCallee() != abi::calls::contract || call.getParam("lhs_batch"))
    return false;
  Type element = getElementTypeOrSelf(call.getResultTypes()[0]);
  return (element.isF32() || element.isF16() || element.isBF16()) &&
         getElementTypeOrSelf(call.getIns()[0]) == element;
}

bool takesGelu(exec::ApplyOp call) {
  Type element = getElementTypeOrSelf(call.getResultTypes()[0]);
  return call.getCallee() == abi::calls::contract &&
         (element.isF16() || element.isBF16() || (element.isF32() && call.getParam("allow_tf32")));
}

bool takesPreactivation(exec::ApplyOp call) {
  if (!isPlainProduct(call) || !takesGelu(call) || call.getParam("has_addend"))
    return false;
  ColumnDims dims = columnDims(call);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(call.getResultTypes()[0]).getShape();
  int64_t columns = 1;
  for (int64_t extent : shape.slice(dims.first, dims.count))
    columns *= extent;
  return columns % 8 == 0;
}

} // namespace sheaf::lowering
