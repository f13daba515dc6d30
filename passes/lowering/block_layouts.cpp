// Lets convolutions, and what lies between them, compute in the library's blocked layout.
#include "passes/lowering/blocked_values.h"
#include "passes/lowering/call_rules.h"
#include "passes/lowering/flat_cluster.h"
#include "passes/lowering/invariants.h"
#include "passes/lowering/passes.h"
#include "runtime/abi/calls.h"

namespace sheaf::lowering {
#define GEN_PASS_DEF_LOWERINGBLOCKLAYOUTSPASS
#include "passes/lowering/passes.h.inc"

using namespace mlir;

namespace {

RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

struct BlockLayouts : impl::LoweringBlockLayoutsPassBase<BlockLayouts> {
  using LoweringBlockLayoutsPassBase::LoweringBlockLayoutsPassBase;

  void runOnOperation() override;

  /// How a convolution takes its input; none when it stays row-major altogether.
  enum class Input { blocked, plain };
  std::optional<Input> inputOfConv(exec::ApplyOp conv, const Invariants &invariants) const;

  bool blockConv(exec::ApplyOp conv, BlockedValues &values, const Invariants &invariants);
  bool blockPool(exec::ApplyOp pool, BlockedValues &values);
  bool blockCluster(graph::ClusterOp cluster, BlockedValues &values);
  bool blockOp(Operation &op, BlockedValues &values, const Invariants &invariants) {
    if (auto call = dyn_cast<exec::ApplyOp>(op))
      return blockConv(call, values, invariants) || blockPool(call, values);
    auto cluster = dyn_cast<graph::ClusterOp>(op);
    return cluster && blockCluster(cluster, values);
  }
};

std::optional<BlockLayouts::Input> BlockLayouts::inputOfConv(exec::ApplyOp conv,
                                                             const Invariants &invariants) const {
  if (conv.getCallee() != abi::calls::conv || !invariants.contains(conv.getIns()[1]))
    return std::nullopt;
  RankedTensorType input = tensorType(conv.getIns()[0]), filter = tensorType(conv.getIns()[1]);
  RankedTensorType result = tensorType(conv.getOuts()[0]);
  if (!isa<Float32Type, BFloat16Type>(input.getElementType()) ||
      input.getElementType() != result.getElementType() || input.getRank() > 5 ||
      input.getNumElements() == 0 || result.getNumElements() == 0)
    return std::nullopt;
  auto attr = dyn_cast_or_null<IntegerAttr>(conv.getParam("groups"));
  int64_t groups = attr ? attr.getInt() : 1;
  int64_t in = filter.getDimSize(1), out = filter.getDimSize(0) / groups;
  // Few output channels leave most of a block empty.
  if (groups == 1)
    return out < block ? std::optional<Input>() : in < block / 2 ? Input::plain : Input::blocked;
  bool isDepthwise = in == 1 && out == 1;
  if (isDepthwise ? groups % block == 0 : in % block == 0 && out % block == 0)
    return Input::blocked;
  return std::nullopt;
}

bool BlockLayouts::blockConv(exec::ApplyOp conv, BlockedValues &values,
                             const Invariants &invariants) {
  std::optional<Input> input = inputOfConv(conv, invariants);
  if (!input)
    return false;
  OpBuilder builder(conv);
  SmallVector<Value> operands(conv.getIns());
  operands[0] = *input == Input::blocked ? values.getBlocked(builder, operands[0])
                                         : values.getPlain(builder, operands[0]);
  if (conv.getParam("has_residual"))
    operands.back() = values.getBlocked(builder, operands.back());
  Value result = conv.getOuts()[0];
  auto blocked =
      exec::ApplyOp::create(builder, conv.getLoc(), TypeRange(values.blockedType(result.getType())),
                            conv.getCallee(), operands, conv.getParamsAttr());
  values.replace(result, blocked.getResult(0));
  return true;
}

bool BlockLayouts::blockPool(exec::ApplyOp pool, BlockedValues &values) {
  if (pool.getCallee() != abi::calls::pool || !values.isBlocked(pool.getIns()[0]))
    return false;
  OpBuilder builder(pool);
  Value result = pool.getOuts()[0];
  auto blocked = exec::ApplyOp::create(
      builder, pool.getLoc(), TypeRange(values.blockedType(result.getType())), pool.getCallee(),
      ValueRange(values.getBlocked(builder, pool.getIns()[0])), pool.getParamsAttr());
  values.replace(result, blocked.getResult(0));
  return true;
}

bool BlockLayouts::blockCluster(graph::ClusterOp cluster, BlockedValues &values) {
  RankedTensorType type = tensorType(cluster.getResult(0));
  bool isAnyBlocked =
      llvm::any_of(cluster.getOperands(), [&](Value v) { return values.isBlocked(v); });
  bool isAllReorderable = llvm::all_of(cluster->getOperandTypes(), [](Type operand) {
    return acceptsElement(abi::calls::reorder, getElementTypeOrSelf(operand));
  });
  // The lanes that fill the last block must stay 0, so there may be none.
  if (!isAnyBlocked || !isAllReorderable || !isFlat(cluster) || type.getDimSize(1) % block != 0)
    return false;
  OpBuilder builder(cluster);
  auto flat = RankedTensorType::get({type.getNumElements()}, type.getElementType());
  SmallVector<Value> operands;
  for (Value operand : cluster.getOperands())
    operands.push_back(exec::ReinterpretOp::create(builder, cluster.getLoc(),
                                                   flat.clone(tensorType(operand).getElementType()),
                                                   values.getBlocked(builder, operand)));
  graph::ClusterOp work = flatten(builder, cluster, operands, type.getNumElements());
  for (auto [result, flatResult] : llvm::zip(cluster.getResults(), work.getResults()))
    values.replace(result,
                   exec::ReinterpretOp::create(builder, cluster.getLoc(),
                                               values.blockedType(result.getType()), flatResult));
  return true;
}

void BlockLayouts::runOnOperation() {
  Invariants invariants(getOperation());
  BlockedValues values(block);
  SmallVector<Operation *> replaced;
  Block &body = getOperation().getBody().front();
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (blockOp(op, values, invariants)) {
      replaced.push_back(&op);
      continue;
    }
    OpBuilder builder(&op);
    for (OpOperand &operand : op.getOpOperands())
      operand.set(values.getPlain(builder, operand.get()));
  }
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  numReorders += values.numReorders;
}

} // namespace
} // namespace sheaf::lowering
