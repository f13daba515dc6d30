// Calls of the C library, estimates by AVX-512, rounding.
#include "passes/lowering/kernel/host_emitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sheaf::lowering;
using arith::CmpFPredicate;

Value HostEmitter::constant(int64_t value) {
  return arith::ConstantOp::create(builder(), builder().getI64IntegerAttr(value));
}

Value HostEmitter::firstLanes(int64_t numLanes) {
  SmallVector<bool> isOn(width(), false);
  std::fill_n(isOn.begin(), numLanes, true);
  VectorType type = vectorOf(builder().getI1Type());
  return arith::ConstantOp::create(builder(), DenseElementsAttr::get(type, ArrayRef<bool>(isOn)));
}

/// Declares `name(type, ...) -> type` in the module around the builder.
static void declare(OpBuilder &builder, Location loc, StringRef name, Type type,
                    size_t numArguments) {
  Operation *module = SymbolTable::getNearestSymbolTable(builder.getBlock()->getParentOp());
  if (SymbolTable::lookupSymbolIn(module, name))
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&module->getRegion(0).front());
  auto function = LLVM::LLVMFunctionType::get(type, SmallVector<Type>(numArguments, type));
  LLVM::LLVMFuncOp::create(builder, loc, name, function);
}

Value HostEmitter::call(StringRef name, ValueRange arguments) {
  ImplicitLocOpBuilder &b = builder();
  auto vector = cast<VectorType>(arguments[0].getType());
  Type type = vector.getElementType();
  std::string symbol = name.str() + (type.isF32() ? "f" : "");
  declare(b, b.getLoc(), symbol, type, arguments.size());
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(vector));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<Value> scalars;
    for (Value argument : arguments)
      scalars.push_back(vector::ExtractOp::create(b, argument, lane));
    Value scalar = LLVM::CallOp::create(b, type, symbol, scalars).getResult();
    result = vector::InsertOp::create(b, scalar, result, lane);
  }
  return result;
}

/// 2^n 2^f with |f| <= 1/2 and 2^f within 7.5e-5 (least maximal relative error).
Value HostEmitter::expEstimate(Value x) {
  constexpr double lowest = -87.3365448;
  Value isTiny = compare(CmpFPredicate::OLT, x, splatLike(x, lowest));
  x = minOrSecond(splatLike(x, 89), x);
  Value shifted = fma(x, splatLike(x, 1.44269504088896341), splatLike(x, roundingShift));
  Value n = sub(shifted, splatLike(x, roundingShift));
  Value f = fma(x, splatLike(x, 1.44269504088896341), arith::NegFOp::create(builder(), n));
  Value fraction = polynomial(f, {0.05517167, 0.24261112, 0.69326099, 0.99992807});
  return select(isTiny, splatLike(x, 0), scaledByFloat(fraction, n));
}

Value HostEmitter::reciprocalEstimate(Value x) {
  ImplicitLocOpBuilder &b = builder();
  Value all = arith::ConstantOp::create(b, b.getI16IntegerAttr(-1));
  return LLVM::CallIntrinsicOp::create(b, x.getType(),
                                       b.getStringAttr("llvm.x86.avx512.rcp14.ps.512"),
                                       ValueRange{x, splatLike(x, 0), all})
      .getResults();
}

Value HostEmitter::scaledByFloat(Value fraction, Value n) {
  ImplicitLocOpBuilder &b = builder();
  Value all = arith::ConstantOp::create(b, b.getI16IntegerAttr(-1));
  Value currentRounding = arith::ConstantOp::create(b, b.getI32IntegerAttr(4));
  return LLVM::CallIntrinsicOp::create(
             b, fraction.getType(), b.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512"),
             ValueRange{fraction, n, splatLike(fraction, 0), all, currentRounding})
      .getResults();
}

Value HostEmitter::roundedToUpperHalf(Value x) {
  ImplicitLocOpBuilder &b = builder();
  // Half of the last place kept, less one unless the last bit kept is set: ties go to even.
  Value raw = bits(x);
  Value isOdd = compare(arith::CmpIPredicate::ne, arith::AndIOp::create(b, raw, integer(0x10000)),
                        integer(0));
  Value rounded = arith::AddIOp::create(b, raw, select(isOdd, integer(0x8000), integer(0x7fff)));
  if (hasShortNans)
    return rounded;
  // A NaN could round to infinity; it becomes quiet and keeps its sign and upper payload.
  Value quiet = arith::OrIOp::create(b, raw, integer(0x400000));
  return select(compare(CmpFPredicate::UNO, x, x), quiet, rounded);
}

Value HostEmitter::roundTo(Type elementType, Value x) {
  ImplicitLocOpBuilder &b = builder();
  if (elementType.isBF16())
    return fromBits(arith::AndIOp::create(b, roundedToUpperHalf(x), integer(-0x10000)));
  if (elementType.isF16()) {
    Value half = arith::TruncFOp::create(b, vectorOf(elementType), x);
    return arith::ExtFOp::create(b, x.getType(), half);
  }
  return x;
}
