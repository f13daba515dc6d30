// Contiguous, repeated and strided vectors in the memory of a GPU.
#include "passes/lowering/kernel/gpu/device_memory.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lowering/kernel/stored_type.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

/// `type` with the shape of `like`.
static Type shapedLike(Type like, Type type) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(VectorType::get(vector.getShape(), type)) : type;
}

static Value zeroOf(ImplicitLocOpBuilder &b, Type type) {
  return arith::ConstantOp::create(b, b.getZeroAttr(type));
}

static Value toCompute(ImplicitLocOpBuilder &b, Type elementType, Value x) {
  if (elementType.isInteger(1))
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x, zeroOf(b, x.getType()));
  if (elementType.isBF16() || elementType.isF16())
    return arith::ExtFOp::create(b, shapedLike(x.getType(), b.getF32Type()), x);
  return x;
}

static Value toStored(ImplicitLocOpBuilder &b, Type elementType, Value x) {
  Type stored = shapedLike(x.getType(), storedTypeOf(elementType));
  if (elementType.isInteger(1))
    return arith::ExtUIOp::create(b, stored, x);
  if (elementType.isBF16() || elementType.isF16())
    return arith::TruncFOp::create(b, stored, x);
  return x;
}

Value DeviceMemory::address(Emitter &e, Value offset) const {
  return LLVM::GEPOp::create(e.builder(), base.getType(), storedTypeOf(elementType), base,
                             ArrayRef<LLVM::GEPArg>{offset}, LLVM::GEPNoWrapFlags::inbounds);
}

Value DeviceMemory::loadStored(Emitter &e, Type type, Value address, int64_t alignment) const {
  return LLVM::LoadOp::create(e.builder(), type, address, alignment, /*isVolatile=*/false,
                              /*isNonTemporal=*/false, /*isInvariant=*/isConstant);
}

Value DeviceMemory::loadElement(Emitter &e, Value offset) const {
  Value stored =
      loadStored(e, storedTypeOf(elementType), address(e, offset), storedBytesOf(elementType));
  return toCompute(e.builder(), elementType, stored);
}

void DeviceMemory::storeElement(Emitter &e, Value offset, Value scalar) const {
  LLVM::StoreOp::create(e.builder(), toStored(e.builder(), elementType, scalar), address(e, offset),
                        storedBytesOf(elementType));
}

Value DeviceMemory::load(Emitter &e, Value offset) const {
  ImplicitLocOpBuilder &b = e.builder();
  VectorType type = e.vectorOf(storedTypeOf(elementType));
  Value first = address(e, offset);
  if (laneStride == 1)
    return toCompute(b, elementType, loadStored(e, type, first, alignment));
  auto loadOne = [&](int64_t lane) {
    Value place = LLVM::GEPOp::create(b, base.getType(), type.getElementType(), first,
                                      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(lane)},
                                      LLVM::GEPNoWrapFlags::inbounds);
    return loadStored(e, type.getElementType(), place, storedBytesOf(elementType));
  };
  if (laneStride == 0)
    return toCompute(b, elementType, vector::BroadcastOp::create(b, type, loadOne(0)));
  Value vector = zeroOf(b, type);
  for (int64_t lane = 0; lane < e.width(); ++lane)
    vector = vector::InsertOp::create(b, loadOne(lane * laneStride), vector, lane);
  return toCompute(b, elementType, vector);
}

void DeviceMemory::store(Emitter &e, Value offset, Value vector) const {
  ImplicitLocOpBuilder &b = e.builder();
  Value stored = toStored(b, elementType, vector), first = address(e, offset);
  if (laneStride == 1) {
    LLVM::StoreOp::create(b, stored, first, alignment);
    return;
  }
  for (int64_t lane = 0; lane < e.width(); ++lane) {
    Value place =
        LLVM::GEPOp::create(b, base.getType(), storedTypeOf(elementType), first,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(lane * laneStride)},
                            LLVM::GEPNoWrapFlags::inbounds);
    LLVM::StoreOp::create(b, vector::ExtractOp::create(b, stored, lane), place,
                          storedBytesOf(elementType));
  }
}
