// Lets convolutions, and what lies between them, compute with the channels innermost.
#include "passes/lowering/channels_last_values.h"
#include "passes/lowering/flat_cluster.h"
#include "passes/lowering/invariants.h"
#include "passes/lowering/passes.h"
#include "runtime/abi/calls.h"

#include "dialects/exec/exec.h"

namespace sheaf::lowering {
#define GEN_PASS_DEF_LOWERINGCHANNELSLASTPASS
#include "passes/lowering/passes.h.inc"

using namespace mlir;

namespace {

/// The library works on this many channels at a time.
constexpr int64_t vectorChannels = 16;

RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Whether the library is faster on `conv` when the channels are last.
bool isWorthIt(exec::ApplyOp conv, const Invariants &invariants) {
  if (!invariants.contains(conv.getIns()[1]))
    return false; // The filter would be put in order in each run.
  RankedTensorType input = tensorType(conv.getIns()[0]), filter = tensorType(conv.getIns()[1]);
  RankedTensorType result = tensorType(conv.getOuts()[0]);
  if (!isa<Float32Type, BFloat16Type>(input.getElementType()) ||
      input.getElementType() != result.getElementType() || input.getRank() > 5 ||
      input.getNumElements() == 0 || result.getNumElements() == 0)
    return false;
  auto attr = dyn_cast_or_null<IntegerAttr>(conv.getParam("groups"));
  int64_t groups = attr ? attr.getInt() : 1;
  int64_t in = filter.getDimSize(1), out = filter.getDimSize(0) / groups;
  // Few output channels leave most of a vector empty.
  if (groups == 1)
    return out >= vectorChannels;
  bool isDepthwise = in == 1 && out == 1;
  return isDepthwise ? groups % vectorChannels == 0
                     : in % vectorChannels == 0 && out % vectorChannels == 0;
}

struct ChannelsLast : impl::LoweringChannelsLastPassBase<ChannelsLast> {
  using LoweringChannelsLastPassBase::LoweringChannelsLastPassBase;

  void runOnOperation() override;

  bool rewriteConv(exec::ApplyOp conv, ChannelsLastValues &values, const Invariants &invariants);
  bool rewritePool(exec::ApplyOp pool, ChannelsLastValues &values);
  bool rewriteCluster(graph::ClusterOp cluster, ChannelsLastValues &values);
  bool rewriteOp(Operation &op, ChannelsLastValues &values, const Invariants &invariants) {
    if (auto call = dyn_cast<exec::ApplyOp>(op))
      return rewriteConv(call, values, invariants) || rewritePool(call, values);
    auto cluster = dyn_cast<graph::ClusterOp>(op);
    return cluster && rewriteCluster(cluster, values);
  }

  /// The same call on `operands`, whose dims are in the other order.
  void rewriteCall(OpBuilder &builder, exec::ApplyOp call, ValueRange operands,
                   ChannelsLastValues &values) {
    Value result = call.getOuts()[0];
    auto rewritten =
        exec::ApplyOp::create(builder, call.getLoc(), TypeRange(values.typeOf(result.getType())),
                              call.getCallee(), operands, call.getParamsAttr());
    rewritten.setParam("channels_last", builder.getBoolAttr(true));
    values.replace(result, rewritten.getResult(0));
  }
};

bool ChannelsLast::rewriteConv(exec::ApplyOp conv, ChannelsLastValues &values,
                               const Invariants &invariants) {
  if (conv.getCallee() != abi::calls::conv || !isWorthIt(conv, invariants))
    return false;
  OpBuilder builder(conv);
  SmallVector<Value> operands(conv.getIns());
  operands[0] = values.getChannelsLast(builder, operands[0]);
  if (conv.getParam("has_residual"))
    operands.back() = values.getChannelsLast(builder, operands.back());
  rewriteCall(builder, conv, operands, values);
  return true;
}

bool ChannelsLast::rewritePool(exec::ApplyOp pool, ChannelsLastValues &values) {
  if (pool.getCallee() != abi::calls::pool || !values.isReplaced(pool.getIns()[0]))
    return false;
  OpBuilder builder(pool);
  rewriteCall(builder, pool, values.getChannelsLast(builder, pool.getIns()[0]), values);
  return true;
}

bool ChannelsLast::rewriteCluster(graph::ClusterOp cluster, ChannelsLastValues &values) {
  RankedTensorType type = tensorType(cluster.getResult(0));
  bool isAnyReplaced =
      llvm::any_of(cluster.getOperands(), [&](Value v) { return values.isReplaced(v); });
  if (!isAnyReplaced || !isFlat(cluster))
    return false;
  OpBuilder builder(cluster);
  auto reshaped = [&](Value value, RankedTensorType to) -> Value {
    return graph::ReshapeOp::create(builder, cluster.getLoc(), to, value);
  };
  SmallVector<Value> operands;
  for (Value operand : cluster.getOperands())
    operands.push_back(reshaped(values.getChannelsLast(builder, operand),
                                tensorType(operand).clone(type.getNumElements())));
  graph::ClusterOp work = flatten(builder, cluster, operands, type.getNumElements());
  for (auto [result, flatResult] : llvm::zip(cluster.getResults(), work.getResults()))
    values.replace(result, reshaped(flatResult, values.typeOf(result.getType())));
  return true;
}

void ChannelsLast::runOnOperation() {
  Invariants invariants(getOperation());
  ChannelsLastValues values;
  SmallVector<Operation *> replaced;
  Block &body = getOperation().getBody().front();
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (rewriteOp(op, values, invariants)) {
      replaced.push_back(&op);
      continue;
    }
    OpBuilder builder(&op);
    for (OpOperand &operand : op.getOpOperands())
      operand.set(values.getChannelsSecond(builder, operand.get()));
  }
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
}

} // namespace
} // namespace sheaf::lowering
