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
      .Case([&](graph::ClusterOp) { return hasVectors(buffer); })
      .Case<graph::ConcatOp, graph::PadOp>([](auto) { return true; })
      .Default(false);
}

/// What a view of `result` needs of the operand's place, so that the operand can be written there:
/// none when the op is no view, or when no strides do it.
std::optional<StridedView> placeOfOperand(Operation *op, const StridedView &result) {
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op))
    return result.reshaped(cast<RankedTensorType>(reshape.getOperand().getType()).getShape());
  auto transpose = dyn_cast<graph::TransposeOp>(op);
  if (!transpose)
    return std::nullopt;
  SmallVector<int64_t> inverse(transpose.getPermutation().size());
  for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
    inverse[from] = to;
  return result.transposed(inverse);
}

/// True when a reshape of a transpose would have to copy what it is given in row-major order.
bool wouldCopy(graph::ReshapeOp reshape) {
  auto transpose = reshape.getOperand().getDefiningOp<graph::TransposeOp>();
  if (!transpose)
    return false;
  auto source = cast<RankedTensorType>(transpose.getOperand().getType());
  StridedView view = StridedView::of(exec::BufferType::of(source));
  return !view.transposed(transpose.getPermutation()).reshaped(reshape.getType().getShape());
}

} // namespace

void Bufferizer::propose(Value tensor, Value destination) {
  auto result = dyn_cast<OpResult>(tensor);
  if (!result || proposals.contains(tensor))
    return;
  auto type = cast<exec::BufferType>(destination.getType());
  if (canWriteTo(result, type)) {
    proposals[tensor] = destination;
    return;
  }
  // A view is where its operand is. Other users of the operand read what is not row-major, then.
  Operation *op = result.getOwner();
  if (!isa<graph::ReshapeOp, graph::TransposeOp>(op))
    return;
  bool isShared = !op->getOperand(0).hasOneUse();
  std::optional<StridedView> place = placeOfOperand(op, StridedView::of(type));
  if (!place || (isShared && (!type.isPlain() || isa<graph::TransposeOp>(op))))
    return;
  propose(op->getOperand(0), view(destination, *place));
}

void proposeDestinations(func::FuncOp function, ValueRange outputs, Bufferizer &bufferizer) {
  Block &block = function.getBody().front();
  for (auto [value, output] : llvm::zip(block.getTerminator()->getOperands(), outputs))
    if (output)
      bufferizer.propose(value, output);
  for (Operation &op : llvm::reverse(block)) {
    // The heads of attention, brought together again: written in their final order.
    if (auto reshape = dyn_cast<graph::ReshapeOp>(op); reshape && wouldCopy(reshape))
      bufferizer.propose(reshape,
                         bufferizer.declare(op.getLoc(), exec::BufferType::of(reshape.getType())));
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
