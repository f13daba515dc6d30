// Rules of the ops whose result is put together from pieces.
#include "passes/lowering/bufferize/bufferizer.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

LogicalResult bufferizeConcat(graph::ConcatOp op, Bufferizer &bufferizer) {
  for (auto [operand, piece] : llvm::zip(op.getOperands(), bufferizer.piecesOf(op))) {
    auto type = cast<exec::BufferType>(piece.getType());
    if (type.getNumElements() > 0 && bufferizer.get(operand) != piece)
      bufferizer.copy(op.getLoc(), bufferizer.get(operand), piece);
  }
  bufferizer.set(op, bufferizer.destinationOf(op.getResult()));
  return success();
}

LogicalResult bufferizePad(graph::PadOp op, Bufferizer &bufferizer) {
  Value whole = bufferizer.destinationOf(op.getResult());
  StridedView all = StridedView::of(cast<exec::BufferType>(whole.getType()));
  Value value = bufferizer.get(op.getValue());
  bufferizer.copy(op.getLoc(), bufferizer.view(value, StridedView().broadcast(all.shape, {})),
                  whole);
  auto operandType = cast<RankedTensorType>(op.getOperand().getType());
  SmallVector<int64_t> limits(op.getLow()), steps(operandType.getRank(), 1);
  for (auto [limit, extent] : llvm::zip(limits, operandType.getShape()))
    limit += extent;
  if (operandType.getNumElements() > 0)
    bufferizer.copy(op.getLoc(), bufferizer.get(op.getOperand()),
                    bufferizer.view(whole, all.sliced(op.getLow(), limits, steps)));
  bufferizer.set(op, whole);
  return success();
}

} // namespace

void addJoinRules(BufferizeRules &rules) {
  rules.add(bufferizeConcat);
  rules.add(bufferizePad);
}

} // namespace sheaf::lowering
