// Chooses where values are written, so that they need not be moved there later.
#include "passes/lowering/bufferize/bufferizer.h"
#include "passes/lowering/call_rules.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

/// Whether the op writes its results to memory of its own, of any place and these strides.
bool canWriteTo(OpResult result, exec::BufferType buffer) {
  return TypeSwitch<Operation *, bool>(result.getOwner())
      .Case(
          [&](exec::ApplyOp call) { return acceptsResult(call, result.getResultNumber(), buffer); })
      .Case<graph::ClusterOp, graph::ConcatOp, graph::PadOp>([](auto) { return true; })
      .Default(false);
}

} // namespace

void Bufferizer::propose(Value tensor, Value destination) {
  auto result = dyn_cast<OpResult>(tensor);
  if (!result || proposals.contains(tensor))
    return;
  auto type = cast<exec::BufferType>(destination.getType());
  if (auto reshape = result.getDefiningOp<graph::ReshapeOp>()) {
    // The reshape is a view of its operand: its place is the operand's.
    bool isShared = !reshape.getOperand().hasOneUse() && !type.isPlain();
    auto operandType = cast<RankedTensorType>(reshape.getOperand().getType());
    std::optional<StridedView> source = StridedView::of(type).reshaped(operandType.getShape());
    if (!isShared && source)
      propose(reshape.getOperand(), view(destination, *source));
    return;
  }
  if (canWriteTo(result, type))
    proposals[tensor] = destination;
}

void proposeDestinations(func::FuncOp function, ValueRange outputs, Bufferizer &bufferizer) {
  Block &block = function.getBody().front();
  for (auto [value, output] : llvm::zip(block.getTerminator()->getOperands(), outputs))
    bufferizer.propose(value, output);
  for (Operation &op : llvm::reverse(block)) {
    auto concat = dyn_cast<graph::ConcatOp>(op);
    if (!concat)
      continue;
    Value whole = bufferizer.destinationOf(concat.getResult());
    bufferizer.propose(concat.getResult(), whole);
    auto wholeType = cast<exec::BufferType>(whole.getType());
    SmallVector<int64_t> starts(wholeType.getRank(), 0), limits(wholeType.getShape()),
        steps(wholeType.getRank(), 1);
    int64_t dim = concat.getDim(), start = 0;
    for (Value operand : concat.getOperands()) {
      starts[dim] = start;
      limits[dim] = start += cast<RankedTensorType>(operand.getType()).getDimSize(dim);
      Value piece =
          bufferizer.view(whole, StridedView::of(wholeType).sliced(starts, limits, steps));
      bufferizer.piecesOf(concat).push_back(piece);
      if (operand.hasOneUse())
        bufferizer.propose(operand, piece);
    }
  }
}

} // namespace sheaf::lowering
