// Vector code of graph.binary.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/integer_emit.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;
using arith::CmpFPredicate;

static Value emitShift(Emitter &e, BinaryKind kind, Value x, Value y, bool isUnsigned) {
  ImplicitLocOpBuilder &b = e.builder();
  Type type = getElementTypeOrSelf(x);
  int64_t width = type.getIntOrFloatBitWidth();
  // LLVM gives poison for amounts past the width, and negative ones are such as unsigned numbers.
  Value isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, y, e.splat(type, width));
  Value last = arith::SelectOp::create(b, isInside, y, e.splat(type, width - 1));
  if (kind == BinaryKind::shift_right && !isUnsigned)
    return arith::ShRSIOp::create(b, x, last); // Past the width only the sign is left.
  Value shifted = kind == BinaryKind::shift_left ? Value(arith::ShLIOp::create(b, x, last))
                                                 : Value(arith::ShRUIOp::create(b, x, last));
  return arith::SelectOp::create(b, isInside, shifted, e.splat(type, int64_t(0)));
}

static Value emitInteger(Emitter &e, BinaryKind kind, Value x, Value y, bool isUnsigned) {
  ImplicitLocOpBuilder &b = e.builder();
  switch (kind) {
  case BinaryKind::add:
    return arith::AddIOp::create(b, x, y);
  case BinaryKind::sub:
    return arith::SubIOp::create(b, x, y);
  case BinaryKind::mul:
    return arith::MulIOp::create(b, x, y);
  case BinaryKind::div:
    return emitIntegerQuotient(e, x, y, isUnsigned);
  case BinaryKind::mod:
    return emitIntegerModulo(e, x, y, isUnsigned);
  case BinaryKind::rem:
    return emitIntegerRemainder(e, x, y, isUnsigned);
  case BinaryKind::pow:
    return emitIntegerPower(e, x, y, isUnsigned);
  case BinaryKind::max:
    return isUnsigned ? Value(arith::MaxUIOp::create(b, x, y))
                      : Value(arith::MaxSIOp::create(b, x, y));
  case BinaryKind::min:
    return isUnsigned ? Value(arith::MinUIOp::create(b, x, y))
                      : Value(arith::MinSIOp::create(b, x, y));
  case BinaryKind::bitwise_and:
    return arith::AndIOp::create(b, x, y);
  case BinaryKind::bitwise_or:
    return arith::OrIOp::create(b, x, y);
  case BinaryKind::bitwise_xor:
    return arith::XOrIOp::create(b, x, y);
  case BinaryKind::shift_left:
  case BinaryKind::shift_right:
    return emitShift(e, kind, x, y, isUnsigned);
  case BinaryKind::atan2:
    break;
  }
  llvm_unreachable("(C1) of graph.binary: `atan2` needs a float type");
}

/// The one value of all elements of `value`, when it is known.
static std::optional<double> knownSplat(Value value) {
  while (auto *op = value.getDefiningOp()) {
    if (!isa<BroadcastOp, ReshapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)))
    return std::nullopt;
  return splat.getSplatValue<APFloat>().convertToDouble();
}

/// As pow has it and sqrt does not: of -0 it is 0, of -infinity it is infinity.
static Value emitPowerOfHalf(Emitter &e, Value x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value root = e.add(math::SqrtOp::create(e.builder(), x), e.splatLike(x, 0));
  Value isLowest = e.compare(CmpFPredicate::OEQ, x, e.splatLike(x, -infinity));
  return e.select(isLowest, e.splatLike(x, infinity), root);
}

/// `x` to a known power that multiplication, division or a square root gives; else null.
static Value emitKnownPower(Emitter &e, Value x, double power) {
  if (power < 0) {
    Value positive = emitKnownPower(e, x, -power);
    return positive ? e.div(e.splatLike(x, 1), positive) : Value();
  }
  if (power == 0)
    return e.splatLike(x, 1);
  if (power == 0.5)
    return emitPowerOfHalf(e, x);
  if (power == 1)
    return x;
  Value square = e.mul(x, x);
  if (power == 2)
    return square;
  if (power == 3)
    return e.mul(square, x);
  if (power == 4)
    return e.mul(square, square);
  return nullptr;
}

static Value emitFloatModulo(Emitter &e, Value x, Value y) {
  ImplicitLocOpBuilder &b = e.builder();
  Value remainder = e.call("fmod", {x, y});
  Value zero = e.splatLike(x, 0);
  Value signsDiffer = arith::XOrIOp::create(b, e.compare(CmpFPredicate::OLT, remainder, zero),
                                            e.compare(CmpFPredicate::OLT, y, zero));
  Value isInexact = e.compare(CmpFPredicate::ONE, remainder, zero);
  Value isWrong = arith::AndIOp::create(b, isInexact, signsDiffer);
  return e.select(isWrong, e.add(remainder, y), remainder);
}

static Value emitFloat(Emitter &e, BinaryOp op, Value x, Value y) {
  switch (op.getKind()) {
  case BinaryKind::add:
    return e.add(x, y);
  case BinaryKind::sub:
    return e.sub(x, y);
  case BinaryKind::mul:
    return e.mul(x, y);
  case BinaryKind::div:
    return e.div(x, y);
  case BinaryKind::pow:
    if (std::optional<double> power = knownSplat(op.getRhs()))
      if (Value known = emitKnownPower(e, x, *power))
        return known;
    return e.call("pow", {x, y});
  case BinaryKind::max:
    return e.max(x, y);
  case BinaryKind::min:
    return e.min(x, y);
  case BinaryKind::mod:
    return emitFloatModulo(e, x, y);
  case BinaryKind::rem:
    return e.call("fmod", {x, y});
  case BinaryKind::atan2:
    return e.call("atan2", {x, y});
  case BinaryKind::bitwise_and:
  case BinaryKind::bitwise_or:
  case BinaryKind::bitwise_xor:
  case BinaryKind::shift_left:
  case BinaryKind::shift_right:
    break;
  }
  llvm_unreachable("(C1) of graph.binary: this kind needs an integer type");
}

Value BinaryOp::emit(Emitter &emitter, ValueRange operands) {
  Type element = getElementTypeOrSelf(getLhs());
  if (isa<FloatType>(element))
    return emitFloat(emitter, *this, operands[0], operands[1]);
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  return emitInteger(emitter, getKind(), operands[0], operands[1], isUnsigned);
}
