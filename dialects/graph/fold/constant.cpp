// Reads and makes constants for folds.
#include "dialects/graph/fold/constant.h"
#include "dialects/graph/graph.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace sheaf::graph {

bool isSmall(ShapedType type) {
  std::optional<int64_t> bytes = memoryBytes(type);
  return bytes && *bytes <= kMaxFoldedBytes;
}

Constant::Constant(RankedTensorType type, ArrayRef<char> data, bool hasOneElement, bool isPacked)
    : type(type), data(data), numElements(type.getNumElements()),
      elementBytes(llvm::divideCeil(type.getElementTypeBitWidth(), 8)),
      mask(llvm::maskTrailingOnes<Bits>(type.getElementTypeBitWidth())),
      hasOneElement(hasOneElement), isPacked(isPacked) {}

std::optional<Constant> Constant::of(Attribute value) {
  auto elements = dyn_cast_or_null<ElementsAttr>(value);
  auto type = elements ? dyn_cast<RankedTensorType>(elements.getShapedType()) : nullptr;
  std::optional<int64_t> bytes = type ? memoryBytes(type) : std::nullopt;
  if (!bytes || type.getElementTypeBitWidth() > 64)
    return std::nullopt;
  bool isBoolean = type.getElementType().isInteger(1);
  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(elements))
    return Constant(type, dense.getRawData(), dense.isSplat() && *bytes != 0, isBoolean);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (blob && int64_t(blob->getData().size()) == *bytes)
      return Constant(type, blob->getData(),
                      /*hasOneElement=*/*bytes != 0 && type.getNumElements() == 1,
                      /*isPacked=*/false);
  }
  return std::nullopt;
}

Bits Constant::operator[](int64_t index) const {
  assert(index >= 0 && index < numElements && "no such element");
  if (hasOneElement)
    index = 0;
  if (isPacked)
    return (data[index / 8] >> (index % 8)) & 1;
  Bits bits = 0;
  std::memcpy(&bits, data.data() + index * elementBytes, elementBytes);
  // A byte of a resource that is not 0 is true.
  return mask == 1 ? bits != 0 : bits & mask;
}

DenseElementsAttr makeConstant(RankedTensorType type, ArrayRef<Bits> elements) {
  assert((elements.size() == 1 || int64_t(elements.size()) == type.getNumElements()) &&
         "one element, or as many as the type has");
  if (type.getNumElements() == 0)
    elements = {};
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> booleans(elements);
    return DenseElementsAttr::get(type, booleans);
  }
  unsigned elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  SmallVector<char> bytes(elements.size() * elementBytes);
  for (auto [index, bits] : llvm::enumerate(elements))
    std::memcpy(bytes.data() + index * elementBytes, &bits, elementBytes);
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

Attribute mapElements(RankedTensorType result, ArrayRef<Constant> operands,
                      function_ref<std::optional<Bits>(ArrayRef<Bits>)> function) {
  bool isSplat = llvm::all_of(operands, [](const Constant &operand) { return operand.isSplat(); });
  // Folds run before verifiers: the shapes may differ.
  bool agrees = llvm::all_of(
      operands, [&](const Constant &operand) { return operand.size() == result.getNumElements(); });
  if (!agrees || (!isSplat && !isSmall(result)))
    return {};
  SmallVector<Bits, 3> arguments(operands.size());
  SmallVector<Bits> elements(isSplat ? 1 : result.getNumElements());
  for (auto [index, element] : llvm::enumerate(elements)) {
    for (auto [argument, operand] : llvm::zip_equal(arguments, operands))
      argument = operand[index];
    std::optional<Bits> answer = function(arguments);
    if (!answer)
      return {};
    element = *answer;
  }
  return makeConstant(result, elements);
}

Attribute reshapeConstant(Attribute value, RankedTensorType type) {
  auto typed = dyn_cast_or_null<TypedAttr>(value);
  auto from = typed ? dyn_cast<RankedTensorType>(typed.getType()) : nullptr;
  if (!from || from.getElementType() != type.getElementType() ||
      from.getNumElements() != type.getNumElements())
    return {};
  if (auto external = dyn_cast<ExternalAttr>(value))
    return ExternalAttr::get(value.getContext(), external.getFile(), external.getOffset(),
                             external.getLength(), type);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  auto dense = dyn_cast<DenseIntOrFPElementsAttr>(value);
  if (!dense || !(dense.isSplat() || isSmall(type)))
    return {};
  return dense.reshape(type);
}

} // namespace sheaf::graph
