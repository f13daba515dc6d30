// Vector code of graph.reduce: its neutral values and combinations.
#include "dialects/graph/graph.h"

#include <limits>

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

void ReduceOp::alignDims(DimAligner &aligner) {
  int64_t rank = cast<RankedTensorType>(getOperand().getType()).getRank();
  int64_t resultDim = 0;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(getDims(), dim))
      aligner.align(getOperand(), {dim}, getResult(), {resultDim++});
}

/// The lowest or highest value of a type.
static Value emitExtreme(Emitter &e, Type element, bool isHighest) {
  Type type = Emitter::computeTypeOf(element);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (isa<FloatType>(type))
    return e.splat(type, isHighest ? infinity : -infinity);
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || width == 1;
  APInt extreme = isUnsigned  ? (isHighest ? APInt::getMaxValue(width) : APInt::getZero(width))
                  : isHighest ? APInt::getSignedMaxValue(width)
                              : APInt::getSignedMinValue(width);
  return e.splat(type, extreme.getSExtValue());
}

Value ReduceOp::emitNeutral(Emitter &emitter) {
  Type element = getElementTypeOrSelf(getOperand());
  Type type = Emitter::computeTypeOf(element);
  switch (getKind()) {
  case ReduceKind::sum:
  case ReduceKind::any:
    return emitter.splat(type, int64_t(0));
  case ReduceKind::prod:
  case ReduceKind::all:
    return emitter.splat(type, int64_t(1));
  case ReduceKind::max:
    return emitExtreme(emitter, element, /*isHighest=*/false);
  case ReduceKind::min:
    return emitExtreme(emitter, element, /*isHighest=*/true);
  }
  llvm_unreachable("unknown reduction");
}

static Value emitCombinedFloats(Emitter &e, ReduceKind kind, Value x, Value y) {
  switch (kind) {
  case ReduceKind::sum:
    return e.add(x, y);
  case ReduceKind::prod:
    return e.mul(x, y);
  case ReduceKind::max:
    return e.max(x, y);
  case ReduceKind::min:
    return e.min(x, y);
  case ReduceKind::any:
  case ReduceKind::all:
    break;
  }
  llvm_unreachable("(C2) of graph.reduce: `any` and `all` take booleans");
}

Value ReduceOp::emitCombined(Emitter &emitter, Value lhs, Value rhs) {
  ImplicitLocOpBuilder &b = emitter.builder();
  Type element = getElementTypeOrSelf(getOperand());
  if (isa<FloatType>(element))
    return emitCombinedFloats(emitter, getKind(), lhs, rhs);
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  switch (getKind()) {
  case ReduceKind::sum:
    return arith::AddIOp::create(b, lhs, rhs);
  case ReduceKind::prod:
    return arith::MulIOp::create(b, lhs, rhs);
  case ReduceKind::max:
    return isUnsigned ? Value(arith::MaxUIOp::create(b, lhs, rhs))
                      : Value(arith::MaxSIOp::create(b, lhs, rhs));
  case ReduceKind::min:
    return isUnsigned ? Value(arith::MinUIOp::create(b, lhs, rhs))
                      : Value(arith::MinSIOp::create(b, lhs, rhs));
  case ReduceKind::any:
    return arith::OrIOp::create(b, lhs, rhs);
  case ReduceKind::all:
    return arith::AndIOp::create(b, lhs, rhs);
  }
  llvm_unreachable("unknown reduction");
}
