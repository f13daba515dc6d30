// Vector code of graph.cast between the element types that are computed with.
#include "dialects/graph/graph.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

/// Anything to a boolean is `!= 0`; NaN is true.
static Value emitToBoolean(Emitter &e, Value x) {
  Type type = getElementTypeOrSelf(x);
  if (isa<FloatType>(type))
    return e.compare(CmpFPredicate::UNE, x, e.splat(type, 0.0));
  return e.compare(CmpIPredicate::ne, x, e.splat(type, int64_t(0)));
}

static Value emitIntegerToInteger(Emitter &e, Value x, VectorType to, bool isUnsigned) {
  ImplicitLocOpBuilder &b = e.builder();
  unsigned fromWidth = getElementTypeOrSelf(x).getIntOrFloatBitWidth();
  unsigned toWidth = to.getElementTypeBitWidth();
  if (fromWidth > toWidth)
    return arith::TruncIOp::create(b, to, x);
  if (fromWidth == toWidth)
    return x;
  if (isUnsigned)
    return arith::ExtUIOp::create(b, to, x);
  return arith::ExtSIOp::create(b, to, x);
}

static Value emitIntegerToFloat(Emitter &e, Value x, VectorType to, bool isUnsigned) {
  ImplicitLocOpBuilder &b = e.builder();
  if (isUnsigned)
    return arith::UIToFPOp::create(b, to, x);
  return arith::SIToFPOp::create(b, to, x);
}

/// Truncates; out of range gives the nearest value of the type, NaN 0.
static Value emitFloatToInteger(Emitter &e, Value x, VectorType to, bool isUnsigned) {
  ImplicitLocOpBuilder &b = e.builder();
  StringRef name = isUnsigned ? "llvm.fptoui.sat" : "llvm.fptosi.sat";
  return LLVM::CallIntrinsicOp::create(b, to, b.getStringAttr(name), x).getResults();
}

static Value emitFloatToFloat(Emitter &e, Value x, VectorType to) {
  ImplicitLocOpBuilder &b = e.builder();
  unsigned fromWidth = getElementTypeOrSelf(x).getIntOrFloatBitWidth();
  if (fromWidth < to.getElementTypeBitWidth())
    return arith::ExtFOp::create(b, to, x);
  if (fromWidth > to.getElementTypeBitWidth())
    return arith::TruncFOp::create(b, to, x);
  return x;
}

Value CastOp::emit(Emitter &emitter, ValueRange operands) {
  Value x = operands[0];
  Type from = getElementTypeOrSelf(getOperand()), element = getElementTypeOrSelf(getType());
  bool fromUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  if (element.isInteger(1))
    return emitToBoolean(emitter, x);
  VectorType to = emitter.vectorOf(Emitter::computeTypeOf(element));
  if (isa<FloatType>(from)) {
    if (isa<IntegerType>(element))
      return emitFloatToInteger(emitter, x, to, element.isUnsignedInteger());
    return emitter.roundTo(element, emitFloatToFloat(emitter, x, to));
  }
  if (isa<IntegerType>(element))
    return emitIntegerToInteger(emitter, x, to, fromUnsigned);
  return emitter.roundTo(element, emitIntegerToFloat(emitter, x, to, fromUnsigned));
}
