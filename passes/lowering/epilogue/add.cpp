// Lets a call add a bias, and a convolution a residual.
#include "passes/lowering/epilogue/epilogue.h"

#include "runtime/abi/calls.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

/// The dims of a call's result along which its bias varies.
ColumnDims biasDims(exec::ApplyOp call) {
  return call.getCallee() == abi::calls::conv ? ColumnDims{1, 1} : columnDims(call);
}

/// True when `broadcast` repeats one value per place along the bias dims over all other dims.
bool isBias(graph::BroadcastOp broadcast, ColumnDims dims) {
  ArrayRef<int64_t> shape = broadcast.getType().getShape();
  auto operand = cast<RankedTensorType>(broadcast.getOperand().getType());
  for (auto [extent, target] : llvm::zip(operand.getShape(), broadcast.getDims()))
    if (extent != 1 && (target < dims.first || target >= dims.first + dims.count))
      return false;
  int64_t numBiases = 1;
  for (int64_t extent : shape.slice(dims.first, dims.count))
    numBiases *= extent;
  return operand.getNumElements() == numBiases;
}

/// Whether nothing that could be in one kernel with the sum uses it, but the next sum of its kind: so it
/// is where gradients of micro-batches are added up.
bool isOnlyAccumulated(graph::BinaryOp sum) {
  return llvm::all_of(sum->getUsers(), [](Operation *user) {
    if (auto next = dyn_cast<graph::BinaryOp>(user))
      return next.getKind() == graph::BinaryKind::add &&
             (findUnfinishedCall(next.getLhs()) || findUnfinishedCall(next.getRhs()));
    return user->hasTrait<OpTrait::IsTerminator>() || isa<exec::ApplyOp>(user);
  });
}

struct AbsorbAdd : OpRewritePattern<graph::BinaryOp> {
  AbsorbAdd(MLIRContext *context, Device device) : OpRewritePattern(context), device(device) {}

  LogicalResult matchAndRewrite(graph::BinaryOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != graph::BinaryKind::add)
      return rewriter.notifyMatchFailure(op, "not an addition");
    for (bool isLhs : {true, false}) {
      exec::ApplyOp call = findUnfinishedCall(isLhs ? op.getLhs() : op.getRhs());
      Value other = isLhs ? op.getRhs() : op.getLhs();
      // cuDNN adds in few cases; a kernel adds bias and residual and applies what follows, all at once.
      bool isApart = device == Device::cuda && call && call.getCallee() == abi::calls::conv;
      if (call && !isApart &&
          (succeeded(absorbBias(op, call, other, rewriter)) ||
           succeeded(absorbResidual(op, call, other, rewriter))))
        return success();
    }
    return rewriter.notifyMatchFailure(op, "no call that could add this");
  }

  LogicalResult absorbBias(graph::BinaryOp op, exec::ApplyOp call, Value other,
                           PatternRewriter &rewriter) const {
    auto broadcast = other.getDefiningOp<graph::BroadcastOp>();
    ColumnDims dims = biasDims(call);
    if (!broadcast || call.getParam("has_bias") || !takesBias(call) || dims.count == 0 ||
        !isBias(broadcast, dims))
      return failure();
    auto type = cast<RankedTensorType>(op.getType());
    auto biasType =
        RankedTensorType::get(type.getShape().slice(dims.first, dims.count), type.getElementType());
    Value bias = broadcast.getOperand();
    if (bias.getType() != biasType)
      bias = graph::ReshapeOp::create(rewriter, broadcast.getLoc(), biasType, bias);
    absorb(rewriter, op, call, biasPlace(call), bias)
        .setParam("has_bias", rewriter.getBoolAttr(true));
    return success();
  }

  LogicalResult absorbResidual(graph::BinaryOp op, exec::ApplyOp call, Value other,
                               PatternRewriter &rewriter) const {
    bool isConv = call.getCallee() == abi::calls::conv;
    StringRef param = isConv ? "has_residual" : "has_addend";
    if (call.getParam(param) || other == call.getResult(0))
      return failure();
    // A bias that the call does not take is no matrix either.
    if (!isConv && !takesBias(call) && isa_and_nonnull<graph::BroadcastOp>(other.getDefiningOp()))
      return failure();
    // After a contraction the addition is worth more in the cluster with the norm that follows. Only
    // the library of GPUs adds as it stores.
    if (!isConv && (device == Device::host || !isOnlyAccumulated(op)))
      return failure();
    absorb(rewriter, op, call, call.getIns().size(), other)
        .setParam(param, rewriter.getBoolAttr(true));
    return success();
  }

  Device device;
};

} // namespace

void populateAddPatterns(RewritePatternSet &patterns, Device device) {
  patterns.add<AbsorbAdd>(patterns.getContext(), device);
}

} // namespace sheaf::lowering
