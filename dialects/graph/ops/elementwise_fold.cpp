// Folds of elementwise ops: constants, and operands that are the answer. Only exact ones: `x + 0.0`
// is not `x` when that is `-0.0`.
#include "dialects/graph/fold/arithmetic.h"

#include <cmath>

using namespace mlir;
using namespace sheaf::graph;

namespace {

/// The constants behind all operands, or none.
std::optional<SmallVector<Constant, 3>> constantsOf(ArrayRef<Attribute> attributes) {
  SmallVector<Constant, 3> constants;
  for (Attribute attribute : attributes) {
    std::optional<Constant> constant = Constant::of(attribute);
    if (!constant)
      return std::nullopt;
    constants.push_back(*constant);
  }
  return constants;
}

/// The element that a splat repeats.
std::optional<Bits> splatOf(Attribute attribute) {
  std::optional<Constant> constant = Constant::of(attribute);
  return constant && constant->isSplat() ? std::optional((*constant)[0]) : std::nullopt;
}

/// Whether `kind` with `value` on the right gives the left operand, for every left operand.
bool isRightIdentity(BinaryKind kind, const Element &element, Bits value) {
  double number = element.isFloat() ? element.toDouble(value) : 0;
  switch (kind) {
  case BinaryKind::add:
    return element.isFloat() ? number == 0 && std::signbit(number) : value == 0;
  case BinaryKind::sub:
    return element.isFloat() ? number == 0 && !std::signbit(number) : value == 0;
  case BinaryKind::mul:
  case BinaryKind::div:
  case BinaryKind::pow:
    return element.isFloat() ? number == 1 : value == 1;
  case BinaryKind::max:
    return value == element.lowest() && (!element.isFloat() || std::isinf(number));
  case BinaryKind::min:
    return value == element.highest() && (!element.isFloat() || std::isinf(number));
  case BinaryKind::bitwise_and:
    return value == element.wrap(~Bits(0));
  case BinaryKind::bitwise_or:
  case BinaryKind::bitwise_xor:
  case BinaryKind::shift_left:
  case BinaryKind::shift_right:
    return value == 0;
  case BinaryKind::mod:
  case BinaryKind::rem:
  case BinaryKind::atan2:
    return false;
  }
  llvm_unreachable("all kinds are above");
}

/// Whether `kind` of two equal operands is that operand.
bool isIdempotent(BinaryKind kind) {
  return llvm::is_contained(
      {BinaryKind::max, BinaryKind::min, BinaryKind::bitwise_and, BinaryKind::bitwise_or}, kind);
}

/// Whether equal integers compare true.
bool isReflexive(CompareKind kind) {
  return llvm::is_contained({CompareKind::eq, CompareKind::le, CompareKind::ge}, kind);
}

} // namespace

OpFoldResult UnaryOp::fold(FoldAdaptor adaptor) {
  auto inner = getOperand().getDefiningOp<UnaryOp>();
  if (inner && inner.getKind() == getKind()) {
    switch (getKind()) {
    case UnaryKind::abs:
    case UnaryKind::sign:
    case UnaryKind::floor:
    case UnaryKind::ceil:
    case UnaryKind::round:
    case UnaryKind::relu:
      return inner.getResult();
    case UnaryKind::neg:
    case UnaryKind::bitwise_not:
      return inner.getOperand();
    default:
      break;
    }
  }
  auto constants = constantsOf(adaptor.getOperands());
  if (!constants)
    return nullptr;
  Element element(getType().getElementType());
  return mapElements(getType(), *constants,
                     [&](ArrayRef<Bits> x) { return evaluate(getKind(), element, x[0]); });
}

OpFoldResult BinaryOp::fold(FoldAdaptor adaptor) {
  Element element(getType().getElementType());
  if (std::optional<Bits> rhs = splatOf(adaptor.getRhs()))
    if (isRightIdentity(getKind(), element, *rhs))
      return getLhs();
  if (isIdempotent(getKind()) && getLhs() == getRhs())
    return getLhs();
  bool isAbsorbing =
      !element.isFloat() && (getKind() == BinaryKind::mul || getKind() == BinaryKind::bitwise_and);
  if (isAbsorbing && splatOf(adaptor.getRhs()) == Bits(0))
    return getRhs();
  auto constants = constantsOf(adaptor.getOperands());
  if (!constants)
    return nullptr;
  return mapElements(getType(), *constants,
                     [&](ArrayRef<Bits> x) { return evaluate(getKind(), element, x[0], x[1]); });
}

OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  Element element(getLhs().getType().getElementType());
  if (getLhs() == getRhs() && !element.isFloat() && getType().getNumElements() != 0)
    return makeConstant(getType(), Bits(isReflexive(getKind())));
  auto constants = constantsOf(adaptor.getOperands());
  if (!constants)
    return nullptr;
  return mapElements(getType(), *constants, [&](ArrayRef<Bits> x) -> std::optional<Bits> {
    return evaluate(getKind(), element, x[0], x[1]);
  });
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse())
    return getOnTrue();
  if (std::optional<Bits> predicate = splatOf(adaptor.getPredicate()))
    return *predicate ? getOnTrue() : getOnFalse();
  bool isPredicate = getType().getElementType().isInteger(1) &&
                     splatOf(adaptor.getOnTrue()) == Bits(1) &&
                     splatOf(adaptor.getOnFalse()) == Bits(0);
  if (isPredicate)
    return getPredicate();
  auto constants = constantsOf(adaptor.getOperands());
  if (!constants)
    return nullptr;
  return mapElements(getType(), *constants,
                     [](ArrayRef<Bits> x) -> std::optional<Bits> { return x[0] ? x[1] : x[2]; });
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  // Every type holds what a boolean can be.
  if (auto inner = getOperand().getDefiningOp<CastOp>();
      inner && getType().getElementType().isInteger(1) && inner.getOperand().getType() == getType())
    return inner.getOperand();
  auto constants = constantsOf(adaptor.getOperand());
  if (!constants)
    return nullptr;
  Element from(getOperand().getType().getElementType()), to(getType().getElementType());
  return mapElements(getType(), *constants,
                     [&](ArrayRef<Bits> x) { return to.convert(from, x[0], getSaturate()); });
}
