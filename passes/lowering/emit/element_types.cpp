// Maps MLIR's element types and constants to the executable's.
#include "passes/lowering/emit/element_types.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace sheaf::lowering {

static std::optional<abi::ElementType> abiIntegerType(IntegerType type) {
  using E = abi::ElementType;
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return E::boolean;
  case 2:
    return isUnsigned ? E::ui2 : E::i2;
  case 4:
    return isUnsigned ? E::ui4 : E::i4;
  case 8:
    return isUnsigned ? E::ui8 : E::i8;
  case 16:
    return isUnsigned ? E::ui16 : E::i16;
  case 32:
    return isUnsigned ? E::ui32 : E::i32;
  case 64:
    return isUnsigned ? E::ui64 : E::i64;
  default:
    return std::nullopt;
  }
}

std::optional<abi::ElementType> abiElementType(Type type) {
  using E = abi::ElementType;
  using Result = std::optional<E>;
  return llvm::TypeSwitch<Type, Result>(type)
      .Case([](IntegerType integer) { return abiIntegerType(integer); })
      .Case([](Float4E2M1FNType) { return E::f4E2M1FN; })
      .Case([](Float8E4M3FNType) { return E::f8E4M3FN; })
      .Case([](Float8E4M3FNUZType) { return E::f8E4M3FNUZ; })
      .Case([](Float8E5M2Type) { return E::f8E5M2; })
      .Case([](Float8E5M2FNUZType) { return E::f8E5M2FNUZ; })
      .Case([](Float8E8M0FNUType) { return E::f8E8M0FNU; })
      .Case([](Float16Type) { return E::f16; })
      .Case([](BFloat16Type) { return E::bf16; })
      .Case([](Float32Type) { return E::f32; })
      .Case([](Float64Type) { return E::f64; })
      .Default(Result());
}

/// The bytes of one element as MLIR keeps them, or of all.
static std::vector<uint8_t> bytesOfDense(DenseElementsAttr elements) {
  int64_t count = elements.getNumElements();
  std::vector<uint8_t> bytes;
  if (elements.getElementType().isInteger(1)) { // Kept as bits.
    bytes.reserve(count);
    for (bool value : elements.getValues<bool>())
      bytes.push_back(value);
    return bytes;
  }
  ArrayRef<char> raw = elements.getRawData();
  int64_t repeats = elements.isSplat() ? count : 1;
  bytes.reserve(raw.size() * repeats);
  for (int64_t i = 0; i < repeats; ++i)
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  return bytes;
}

std::optional<std::vector<uint8_t>> bytesOf(ElementsAttr elements) {
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return bytesOfDense(dense);
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return std::nullopt;
  ArrayRef<char> data = blob->getData();
  return std::vector<uint8_t>(data.begin(), data.end());
}

} // namespace sheaf::lowering
