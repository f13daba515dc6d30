// The arithmetic that is the same for every target's emitter.
#include "dialects/interfaces/emitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace sheaf;
using arith::CmpFPredicate;

bool Emitter::canCompute(Type elementType) {
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return llvm::is_contained({1, 8, 16, 32, 64}, static_cast<int>(integer.getWidth()));
  return elementType.isF16() || elementType.isBF16() || elementType.isF32() || elementType.isF64();
}

Type Emitter::computeTypeOf(Type elementType) {
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return IntegerType::get(integer.getContext(), integer.getWidth());
  if (elementType.isF64())
    return elementType;
  return Float32Type::get(elementType.getContext());
}

VectorType Emitter::vectorOf(Type computeType) const {
  return VectorType::get({numLanes}, computeType);
}

arith::FastMathFlagsAttr Emitter::contract() {
  return arith::FastMathFlagsAttr::get(bld->getContext(), arith::FastMathFlags::contract);
}

Value Emitter::splat(Type computeType, double value) {
  if (isa<IntegerType>(computeType))
    return splat(computeType, static_cast<int64_t>(value));
  Attribute element = bld->getFloatAttr(computeType, value);
  return arith::ConstantOp::create(*bld, DenseElementsAttr::get(vectorOf(computeType), element));
}

Value Emitter::splat(Type computeType, int64_t value) {
  if (isa<FloatType>(computeType))
    return splat(computeType, static_cast<double>(value));
  APInt element(computeType.getIntOrFloatBitWidth(), value, /*isSigned=*/true,
                /*implicitTrunc=*/true);
  return arith::ConstantOp::create(*bld, DenseElementsAttr::get(vectorOf(computeType), element));
}

Value Emitter::splatLike(Value like, double value) {
  return splat(getElementTypeOrSelf(like), value);
}

Value Emitter::add(Value x, Value y) { return arith::AddFOp::create(*bld, x, y, contract()); }
Value Emitter::sub(Value x, Value y) { return arith::SubFOp::create(*bld, x, y, contract()); }
Value Emitter::mul(Value x, Value y) { return arith::MulFOp::create(*bld, x, y, contract()); }
Value Emitter::div(Value x, Value y) { return arith::DivFOp::create(*bld, x, y, contract()); }
Value Emitter::fma(Value x, Value y, Value z) { return math::FmaOp::create(*bld, x, y, z); }

Value Emitter::compare(CmpFPredicate predicate, Value x, Value y) {
  return arith::CmpFOp::create(*bld, predicate, x, y);
}

Value Emitter::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(*bld, predicate, x, y);
}

Value Emitter::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(*bld, condition, x, y);
}

Value Emitter::maxOrSecond(Value x, Value y) {
  return select(compare(CmpFPredicate::OGT, x, y), x, y);
}

Value Emitter::minOrSecond(Value x, Value y) {
  return select(compare(CmpFPredicate::OLT, x, y), x, y);
}

Value Emitter::timesNormalBelow(Value x) {
  Value half = mul(splatLike(x, 0.5), x);
  return mul(half, add(splatLike(x, 1), erf(mul(x, splatLike(x, 0.70710678118654752440)))));
}

// `y` being NaN is covered by the first step, `x` by the second.
Value Emitter::max(Value x, Value y) {
  return select(compare(CmpFPredicate::UNO, x, x), x, maxOrSecond(x, y));
}

Value Emitter::min(Value x, Value y) {
  return select(compare(CmpFPredicate::UNO, x, x), x, minOrSecond(x, y));
}
