// Contiguous, repeated and strided vectors in memory. A boolean is a byte; bf16 goes as i16, since
// vectors of bf16 need hardware that is rare.
#include "passes/lowering/kernel/vector_memory.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lowering/kernel/stored_type.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

/// The type of an element in memory, as LLVM's vectors hold it.
static Type memoryTypeOf(Type elementType) {
  if (elementType.isBF16())
    return IntegerType::get(elementType.getContext(), 16);
  return storedTypeOf(elementType);
}

static Value toCompute(HostEmitter &e, Type elementType, Value x) {
  ImplicitLocOpBuilder &b = e.builder();
  if (elementType.isInteger(1))
    return e.compare(arith::CmpIPredicate::ne, x, e.splat(b.getI8Type(), int64_t(0)));
  if (elementType.isBF16()) {
    Value wide = arith::ExtUIOp::create(b, e.vectorOf(b.getI32Type()), x);
    return e.fromBits(arith::ShLIOp::create(b, wide, e.integer(16)));
  }
  if (elementType.isF16())
    return arith::ExtFOp::create(b, e.vectorOf(b.getF32Type()), x);
  return x;
}

static Value toMemory(HostEmitter &e, Type elementType, Value x) {
  ImplicitLocOpBuilder &b = e.builder();
  VectorType stored = e.vectorOf(memoryTypeOf(elementType));
  if (elementType.isInteger(1))
    return arith::ExtUIOp::create(b, stored, x);
  if (elementType.isBF16())
    return arith::TruncIOp::create(
        b, stored, arith::ShRUIOp::create(b, e.roundedToUpperHalf(x), e.integer(16)));
  if (elementType.isF16())
    return arith::TruncFOp::create(b, stored, x);
  return x;
}

Value VectorMemory::address(HostEmitter &e, Value offset) const {
  ImplicitLocOpBuilder &b = e.builder();
  return LLVM::GEPOp::create(b, base.getType(), memoryTypeOf(elementType), base,
                             ArrayRef<LLVM::GEPArg>{offset}, LLVM::GEPNoWrapFlags::inbounds);
}

Value VectorMemory::laneAddresses(HostEmitter &e, Value offset) const {
  ImplicitLocOpBuilder &b = e.builder();
  SmallVector<int64_t> steps;
  for (int64_t lane = 0; lane < e.width(); ++lane)
    steps.push_back(lane * laneStride);
  VectorType indexType = e.vectorOf(b.getI64Type());
  Value lanes =
      arith::ConstantOp::create(b, DenseElementsAttr::get(indexType, ArrayRef<int64_t>(steps)));
  return LLVM::GEPOp::create(b, e.vectorOf(base.getType()), memoryTypeOf(elementType),
                             address(e, offset), ArrayRef<LLVM::GEPArg>{lanes});
}

Value VectorMemory::load(HostEmitter &e, Value offset, int64_t numLanes) const {
  ImplicitLocOpBuilder &b = e.builder();
  Type scalar = memoryTypeOf(elementType);
  VectorType type = e.vectorOf(scalar);
  unsigned alignment = storedBytesOf(elementType);
  auto zeros = [&] { return arith::ConstantOp::create(b, type, b.getZeroAttr(type)).getResult(); };
  Value loaded;
  if (laneStride == 0 || numLanes == 1)
    loaded = vector::BroadcastOp::create(
        b, type, LLVM::LoadOp::create(b, scalar, address(e, offset), alignment));
  else if (laneStride != 1)
    loaded = LLVM::masked_gather::create(b, type, laneAddresses(e, offset), e.firstLanes(numLanes),
                                         ValueRange{zeros()}, alignment);
  else if (numLanes < e.width())
    loaded = LLVM::MaskedLoadOp::create(b, type, address(e, offset), e.firstLanes(numLanes),
                                        zeros(), alignment);
  else
    loaded = LLVM::LoadOp::create(b, type, address(e, offset), alignment);
  return toCompute(e, elementType, loaded);
}

bool VectorMemory::hasPairs(Type elementType) {
  return elementType.isBF16() || elementType.isInteger(1);
}

VectorMemory::Pair VectorMemory::loadPair(HostEmitter &e, Value offset) const {
  ImplicitLocOpBuilder &b = e.builder();
  int64_t bits = storedBytesOf(elementType) * 8;
  Type wide = b.getIntegerType(2 * bits);
  Value loaded =
      LLVM::LoadOp::create(b, e.vectorOf(wide), address(e, offset), storedBytesOf(elementType));
  Value lower = e.splat(wide, (int64_t(1) << bits) - 1);
  if (elementType.isBF16())
    return {e.fromBits(arith::ShLIOp::create(b, loaded, e.splat(wide, bits))),
            e.fromBits(arith::AndIOp::create(b, loaded, e.splat(wide, -(int64_t(1) << bits))))};
  auto isSet = [&](Value mask) {
    return e.compare(arith::CmpIPredicate::ne, arith::AndIOp::create(b, loaded, mask),
                     e.splat(wide, int64_t(0)));
  };
  return {isSet(lower), isSet(e.splat(wide, -(int64_t(1) << bits)))};
}

void VectorMemory::storePair(HostEmitter &e, Value offset, const Pair &pair) const {
  ImplicitLocOpBuilder &b = e.builder();
  int64_t bits = storedBytesOf(elementType) * 8;
  Type wide = b.getIntegerType(2 * bits);
  Value even, odd;
  if (elementType.isBF16()) {
    even = arith::ShRUIOp::create(b, e.roundedToUpperHalf(pair.even), e.splat(wide, bits));
    odd = arith::AndIOp::create(b, e.roundedToUpperHalf(pair.odd),
                                e.splat(wide, -(int64_t(1) << bits)));
  } else {
    even = arith::ExtUIOp::create(b, e.vectorOf(wide), pair.even);
    odd = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, e.vectorOf(wide), pair.odd),
                                e.splat(wide, bits));
  }
  unsigned alignment = storedBytesOf(elementType);
  LLVM::StoreOp::create(b, arith::OrIOp::create(b, even, odd), address(e, offset),
                        bypassesCache ? alignment * 2 * e.width() : alignment,
                        /*isVolatile=*/false, bypassesCache);
}

void VectorMemory::prefetch(HostEmitter &e, Value offset) const {
  // To read, into the second-level cache.
  LLVM::Prefetch::create(e.builder(), address(e, offset), /*rw=*/0, /*hint=*/2, /*cache=*/1);
}

/// Transposes a square of vectors: for each distance, exchanges the halves off the diagonal.
static void transpose(HostEmitter &e, MutableArrayRef<Value> square) {
  int64_t width = e.width();
  for (int64_t distance = 1; distance < width; distance *= 2) {
    SmallVector<int64_t> upper, lower; // lanes of the pair, the second one's counted from `width`
    for (int64_t lane = 0; lane < width; ++lane) {
      bool isFirstHalf = (lane & distance) == 0;
      upper.push_back(isFirstHalf ? lane : width + lane - distance);
      lower.push_back(isFirstHalf ? lane + distance : width + lane);
    }
    for (int64_t i = 0; i < width; ++i) {
      if (i & distance)
        continue;
      Value first = square[i], second = square[i + distance];
      square[i] = vector::ShuffleOp::create(e.builder(), first, second, upper);
      square[i + distance] = vector::ShuffleOp::create(e.builder(), first, second, lower);
    }
  }
}

SmallVector<Value> VectorMemory::loadTile(HostEmitter &e, Value offset, int64_t numLanes,
                                          int64_t numVectors) const {
  ImplicitLocOpBuilder &b = e.builder();
  VectorType type = e.vectorOf(memoryTypeOf(elementType));
  Value zeros = arith::ConstantOp::create(b, type, b.getZeroAttr(type));
  SmallVector<Value> square;
  for (int64_t lane = 0; lane < e.width(); ++lane) {
    if (lane >= numLanes) {
      square.push_back(zeros);
      continue;
    }
    Value place = arith::AddIOp::create(b, offset, e.constant(lane * laneStride));
    bool isWhole = numVectors == e.width();
    Value row =
        isWhole
            ? Value(LLVM::LoadOp::create(b, type, address(e, place), storedBytesOf(elementType)))
            : Value(LLVM::MaskedLoadOp::create(b, type, address(e, place), e.firstLanes(numVectors),
                                               zeros, storedBytesOf(elementType)));
    square.push_back(row);
  }
  transpose(e, square);
  square.truncate(numVectors);
  for (Value &vector : square)
    vector = toCompute(e, elementType, vector);
  return square;
}

void VectorMemory::store(HostEmitter &e, Value offset, Value vector, int64_t numLanes) const {
  ImplicitLocOpBuilder &b = e.builder();
  Value stored = toMemory(e, elementType, vector);
  unsigned alignment = storedBytesOf(elementType);
  // LLVM 22 makes a masked store of one lane a scalar store of the type before truncation, which
  // writes too much; so one lane is stored as a scalar here.
  if (numLanes == 1)
    LLVM::StoreOp::create(b, vector::ExtractOp::create(b, stored, int64_t(0)), address(e, offset),
                          alignment);
  else if (laneStride != 1)
    LLVM::masked_scatter::create(b, stored, laneAddresses(e, offset), e.firstLanes(numLanes),
                                 alignment);
  else if (numLanes < e.width())
    LLVM::MaskedStoreOp::create(b, stored, address(e, offset), e.firstLanes(numLanes), alignment);
  else
    LLVM::StoreOp::create(b, stored, address(e, offset),
                          bypassesCache ? alignment * e.width() : alignment, /*isVolatile=*/false,
                          bypassesCache);
}
