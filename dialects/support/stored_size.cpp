// How many bytes a tensor takes where it is stored.
#include "dialects/support/stored_size.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace sheaf {
namespace {

/// The product of the extents times `elementBytes`; none when it has no static
/// value.
std::optional<int64_t> sizeOf(ShapedType type, int64_t elementBytes) {
  if (!type.hasRank() || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  int64_t size = elementBytes;
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow<int64_t>(size, std::max<int64_t>(extent, 1), size))
      return std::nullopt;
  return llvm::is_contained(type.getShape(), 0) ? 0 : size;
}

} // namespace

std::optional<int64_t> memoryBytes(ShapedType type) {
  if (!type.getElementType().isIntOrFloat())
    return std::nullopt;
  return sizeOf(type, llvm::divideCeil(type.getElementTypeBitWidth(), 8));
}

std::optional<int64_t> fileBytes(ShapedType type) {
  std::optional<int64_t> bytes = memoryBytes(type);
  int64_t width = bytes ? type.getElementTypeBitWidth() : 0;
  if (width != 2 && width != 4)
    return bytes;
  int64_t perByte = 8 / width;
  return *bytes / perByte + (*bytes % perByte != 0);
}

} // namespace sheaf
