// Integer division without traps, and integer powers by squaring.
#include "dialects/graph/ops/integer_emit.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace sheaf;
using arith::CmpIPredicate;

/// `y`, or 1 where dividing `x` by `y` would trap: dividing by 1 gives the documented results.
static Value emitSafeDivisor(Emitter &e, Value x, Value y, bool isUnsigned) {
  ImplicitLocOpBuilder &b = e.builder();
  Type type = getElementTypeOrSelf(x);
  Value traps = e.compare(CmpIPredicate::eq, y, e.splat(type, int64_t(0)));
  if (!isUnsigned) {
    int64_t lowest = APInt::getSignedMinValue(type.getIntOrFloatBitWidth()).getSExtValue();
    Value overflows =
        arith::AndIOp::create(b, e.compare(CmpIPredicate::eq, x, e.splat(type, lowest)),
                              e.compare(CmpIPredicate::eq, y, e.splat(type, int64_t(-1))));
    traps = arith::OrIOp::create(b, traps, overflows);
  }
  return e.select(traps, e.splat(type, int64_t(1)), y);
}

Value sheaf::graph::emitIntegerQuotient(Emitter &e, Value x, Value y, bool isUnsigned) {
  ImplicitLocOpBuilder &b = e.builder();
  Value divisor = emitSafeDivisor(e, x, y, isUnsigned);
  if (isUnsigned)
    return arith::DivUIOp::create(b, x, divisor);
  return arith::DivSIOp::create(b, x, divisor);
}

Value sheaf::graph::emitIntegerRemainder(Emitter &e, Value x, Value y, bool isUnsigned) {
  ImplicitLocOpBuilder &b = e.builder();
  Value divisor = emitSafeDivisor(e, x, y, isUnsigned);
  if (isUnsigned)
    return arith::RemUIOp::create(b, x, divisor);
  return arith::RemSIOp::create(b, x, divisor);
}

Value sheaf::graph::emitIntegerModulo(Emitter &e, Value x, Value y, bool isUnsigned) {
  Value remainder = emitIntegerRemainder(e, x, y, isUnsigned);
  if (isUnsigned)
    return remainder;
  ImplicitLocOpBuilder &b = e.builder();
  Value zero = e.splat(getElementTypeOrSelf(x), int64_t(0));
  Value isInexact = e.compare(CmpIPredicate::ne, remainder, zero);
  Value signsDiffer = e.compare(CmpIPredicate::slt, arith::XOrIOp::create(b, remainder, y), zero);
  Value isWrong = arith::AndIOp::create(b, isInexact, signsDiffer);
  return e.select(isWrong, arith::AddIOp::create(b, remainder, y), remainder);
}

/// Powers with a negative exponent: 1 and -1 have inverses, all else truncates to 0.
static Value emitInversePower(Emitter &e, Value x, Value y) {
  Type type = getElementTypeOrSelf(x);
  Value zero = e.splat(type, int64_t(0)), one = e.splat(type, int64_t(1));
  Value minusOne = e.splat(type, int64_t(-1));
  Value isOdd = e.compare(CmpIPredicate::ne, arith::AndIOp::create(e.builder(), y, one), zero);
  Value ofMinusOne = e.select(isOdd, minusOne, one);
  Value ofRest = e.select(e.compare(CmpIPredicate::eq, x, one), one, zero);
  return e.select(e.compare(CmpIPredicate::eq, x, minusOne), ofMinusOne, ofRest);
}

Value sheaf::graph::emitIntegerPower(Emitter &e, Value x, Value y, bool isUnsigned) {
  ImplicitLocOpBuilder &b = e.builder();
  Type type = getElementTypeOrSelf(x);
  Value zero = e.splat(type, int64_t(0)), one = e.splat(type, int64_t(1));
  auto position = [&](int64_t i) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(i)).getResult();
  };
  // One bit of the exponent a trip: result, x^(2^trip), remaining bits.
  auto loop = scf::ForOp::create(b, position(0), position(type.getIntOrFloatBitWidth()),
                                 position(1), ValueRange{one, x, y});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value result = loop.getRegionIterArg(0), base = loop.getRegionIterArg(1);
    Value bits = loop.getRegionIterArg(2);
    Value isSet = e.compare(CmpIPredicate::ne, arith::AndIOp::create(b, bits, one), zero);
    Value product = arith::MulIOp::create(b, result, base);
    scf::YieldOp::create(b, ValueRange{e.select(isSet, product, result),
                                       arith::MulIOp::create(b, base, base),
                                       arith::ShRUIOp::create(b, bits, one)});
  }
  if (isUnsigned)
    return loop.getResult(0);
  return e.select(e.compare(CmpIPredicate::slt, y, zero), emitInversePower(e, x, y),
                  loop.getResult(0));
}
