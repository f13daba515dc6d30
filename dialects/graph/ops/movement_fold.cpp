// Folds of movement ops.
#include "dialects/graph/fold/places.h"
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

/// What the verifier of broadcasts checks: importers fold before they verify.
bool isBroadcast(RankedTensorType from, RankedTensorType to, ArrayRef<int64_t> dims) {
  if (int64_t(dims.size()) != from.getRank())
    return false;
  return llvm::all_of(llvm::zip_equal(dims, from.getShape()), [&](auto pair) {
    auto [dim, extent] = pair;
    return dim >= 0 && dim < to.getRank() && (extent == 1 || extent == to.getDimSize(dim));
  });
}

} // namespace

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  return reshapeConstant(adaptor.getOperand(), getType());
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (llvm::is_sorted(getPermutation()))
    return getOperand();
  std::optional<Constant> operand = Constant::of(adaptor.getOperand());
  if (!operand)
    return nullptr;
  SmallVector<int64_t> strides = stridesOf(operand->getType().getShape());
  Places places{getType().getShape(), {}};
  for (int64_t dim : getPermutation())
    places.steps.push_back(strides[dim]);
  return takePlaces(*operand, getType(), places);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  std::optional<Constant> operand = Constant::of(adaptor.getOperand());
  if (!operand || !isBroadcast(operand->getType(), getType(), getDims()))
    return nullptr;
  ArrayRef<int64_t> shape = operand->getType().getShape();
  SmallVector<int64_t> strides = stridesOf(shape);
  Places places{getType().getShape(), SmallVector<int64_t>(getType().getRank())};
  for (auto [index, dim] : llvm::enumerate(getDims()))
    places.steps[dim] = shape[index] == 1 ? 0 : strides[index];
  return takePlaces(*operand, getType(), places);
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  std::optional<Constant> operand = Constant::of(adaptor.getOperand());
  if (!operand)
    return nullptr;
  Places places{getType().getShape(), stridesOf(operand->getType().getShape())};
  for (auto [dim, step] : llvm::enumerate(places.steps)) {
    places.offset += getStarts()[dim] * step;
    // Where one element is taken, a stride may be so long that its step overflows.
    step = getType().getDimSize(dim) > 1 ? step * getStrides()[dim] : 0;
  }
  return takePlaces(*operand, getType(), places);
}

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  auto hasOne = [&](int64_t dim) { return getType().getDimSize(dim) <= 1; };
  if (llvm::all_of(getDims(), hasOne) || getType().getNumElements() == 0)
    return getOperand();
  std::optional<Constant> operand = Constant::of(adaptor.getOperand());
  if (!operand)
    return nullptr;
  Places places{getType().getShape(), stridesOf(getType().getShape())};
  for (int64_t dim : getDims()) {
    places.offset += places.steps[dim] * std::max<int64_t>(getType().getDimSize(dim) - 1, 0);
    places.steps[dim] = -places.steps[dim];
  }
  return takePlaces(*operand, getType(), places);
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  std::optional<Constant> operand = Constant::of(adaptor.getOperand());
  std::optional<Constant> value = Constant::of(adaptor.getValue());
  if (!value || value->size() != 1)
    return nullptr;
  bool isUniform = operand && operand->isSplat() && (*operand)[0] == (*value)[0];
  if (isUniform ||
      (getOperand().getType().getNumElements() == 0 && getType().getNumElements() != 0))
    return makeConstant(getType(), (*value)[0]);
  if (!operand || !isSmall(getType()))
    return nullptr;
  SmallVector<Bits> elements(getType().getNumElements(), (*value)[0]);
  Places places{operand->getType().getShape(), stridesOf(getType().getShape())};
  for (auto [step, low] : llvm::zip_equal(places.steps, getLow()))
    places.offset += step * low;
  int64_t index = 0;
  places.forEach([&](int64_t place) { elements[place] = (*operand)[index++]; });
  return makeConstant(getType(), elements);
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getOperands().size() == 1)
    return getOperands().front();
  SmallVector<Constant> operands;
  for (Attribute attribute : adaptor.getOperands()) {
    std::optional<Constant> operand = Constant::of(attribute);
    if (!operand)
      return nullptr;
    operands.push_back(*operand);
  }
  const Constant &first = operands.front();
  bool isUniform = llvm::all_of(operands, [&](const Constant &operand) {
    return operand.isSplat() && first.isSplat() && operand[0] == first[0];
  });
  if (isUniform)
    return makeConstant(getType(), first[0]);
  if (!isSmall(getType()))
    return nullptr;
  SmallVector<Bits> elements(getType().getNumElements());
  Places places{{}, stridesOf(getType().getShape())};
  for (const Constant &operand : operands) {
    places.shape = operand.getType().getShape();
    int64_t index = 0;
    places.forEach([&](int64_t place) { elements[place] = operand[index++]; });
    places.offset += places.steps[getDim()] * places.shape[getDim()];
  }
  return makeConstant(getType(), elements);
}
