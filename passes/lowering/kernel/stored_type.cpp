// What elements are in memory.
#include "passes/lowering/kernel/stored_type.h"

using namespace mlir;

Type sheaf::lowering::storedTypeOf(Type elementType) {
  auto integer = dyn_cast<IntegerType>(elementType);
  if (!integer)
    return elementType;
  return IntegerType::get(integer.getContext(), std::max(integer.getWidth(), 8U));
}

int64_t sheaf::lowering::storedBytesOf(Type elementType) {
  return storedTypeOf(elementType).getIntOrFloatBitWidth() / 8;
}

int64_t sheaf::lowering::storedTensorBytes(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return type.getNumElements() * storedBytesOf(type.getElementType());
}
