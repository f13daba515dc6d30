// Instructions of GPUs that LLVM has as intrinsics.
#include "passes/lowering/kernel/gpu/gpu_emitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lowering/kernel/gpu/double_functions.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;
using arith::CmpFPredicate;

Value GpuEmitter::intrinsic(StringRef name, Type type, ValueRange arguments) {
  ImplicitLocOpBuilder &b = builder();
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), arguments).getResults();
}

void GpuEmitter::voidIntrinsic(StringRef name, ValueRange arguments) {
  ImplicitLocOpBuilder &b = builder();
  LLVM::CallIntrinsicOp::create(b, b.getStringAttr(name), arguments);
}

Value GpuEmitter::word(int64_t value) {
  return arith::ConstantOp::create(builder(), builder().getI32IntegerAttr(value));
}

Value GpuEmitter::onLanes(StringRef name, Value x) {
  ImplicitLocOpBuilder &b = builder();
  auto type = cast<VectorType>(x.getType());
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (int64_t lane = 0; lane < width(); ++lane) {
    Value scalar =
        intrinsic(name, type.getElementType(), vector::ExtractOp::create(b, x, lane).getResult());
    result = vector::InsertOp::create(b, scalar, result, lane);
  }
  return result;
}

/// The product is rounded before the power is taken, which costs 2^-17 where it is large.
Value GpuEmitter::expEstimate(Value x) {
  return onLanes("llvm.nvvm.ex2.approx.ftz.f32", mul(x, splatLike(x, 1.44269504088896341)));
}

Value GpuEmitter::reciprocalEstimate(Value x) { return onLanes("llvm.nvvm.rcp.approx.ftz.f", x); }

Value GpuEmitter::scaledByFloat(Value, Value) {
  llvm_unreachable("no instruction of GPUs scales floats");
}

Value GpuEmitter::roundTo(Type elementType, Value x) {
  if (!elementType.isBF16() && !elementType.isF16())
    return x;
  Value rounded = arith::TruncFOp::create(builder(), vectorOf(elementType), x);
  return arith::ExtFOp::create(builder(), x.getType(), rounded);
}

Value GpuEmitter::exchange(Value scalar, int64_t distance) {
  ImplicitLocOpBuilder &b = builder();
  Type type = scalar.getType(), i32 = b.getI32Type();
  auto exchangeWord = [&](Value value) {
    return intrinsic("llvm.nvvm.shfl.sync.bfly.i32", i32,
                     {word(-1), value, word(distance), word(31)});
  };
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 64) {
    Type pair = VectorType::get({2}, i32);
    Value halves = LLVM::BitcastOp::create(b, pair, scalar);
    Value exchanged = arith::ConstantOp::create(b, b.getZeroAttr(pair));
    for (int64_t half : {0, 1})
      exchanged = vector::InsertOp::create(
          b, exchangeWord(vector::ExtractOp::create(b, halves, half)), exchanged, half);
    return LLVM::BitcastOp::create(b, type, exchanged);
  }
  if (bits < 32)
    return arith::TruncIOp::create(b, type, exchangeWord(arith::ExtUIOp::create(b, i32, scalar)));
  if (isa<FloatType>(type))
    return arith::BitcastOp::create(b, type,
                                    exchangeWord(arith::BitcastOp::create(b, i32, scalar)));
  return exchangeWord(scalar);
}

Value GpuEmitter::call(StringRef name, ValueRange arguments) {
  ImplicitLocOpBuilder &b = builder();
  Type type = arguments[0].getType(), wide = vectorOf(b.getF64Type());
  SmallVector<Value> widened;
  for (Value argument : arguments)
    widened.push_back(type == wide ? argument : Value(arith::ExtFOp::create(b, wide, argument)));
  Value result = DoubleFunctions(*this).call(name, widened);
  if (!result) {
    missing = name.str();
    return arguments[0];
  }
  return type == wide ? result : Value(arith::TruncFOp::create(b, type, result));
}
