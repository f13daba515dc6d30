// The buffer type: text form, checks, strides and bytes.
#include "dialects/exec/exec.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sheaf::exec;

namespace {

constexpr int64_t maxBytes = int64_t(1) << 60;

int64_t elementBytes(Type type) { return (type.getIntOrFloatBitWidth() + 7) / 8; }

SmallVector<int64_t> rowMajor(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::max<int64_t>(shape[i], 1);
  return strides;
}

/// Negative when they are too many or an extent is negative.
int64_t countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    if (extent < 0 || llvm::MulOverflow(count, std::max<int64_t>(extent, 1), count) ||
        count > maxBytes)
      return -1;
  return llvm::is_contained(shape, 0) ? 0 : count;
}

} // namespace

SmallVector<int64_t> BufferType::canonicalStrides(ArrayRef<int64_t> shape,
                                                  ArrayRef<int64_t> strides) {
  SmallVector<int64_t> plain = rowMajor(shape);
  if (strides.size() != shape.size() || llvm::is_contained(shape, 0))
    return strides.size() != shape.size() ? SmallVector<int64_t>(strides) : SmallVector<int64_t>();
  SmallVector<int64_t> result(strides);
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] == 1)
      result[i] = plain[i];
  return result == plain ? SmallVector<int64_t>() : result;
}

BufferType BufferType::of(RankedTensorType tensor) {
  auto packed = dyn_cast_or_null<PackedAttr>(tensor.getEncoding());
  return get(tensor.getContext(), tensor.getShape(), tensor.getElementType(), {},
             packed ? packed.getBytes() : 0, Space::device);
}

int64_t BufferType::getNumElements() const { return countElements(getShape()); }

int64_t BufferType::getElementBytes() const { return elementBytes(getElementType()); }

int64_t BufferType::getBytes() const {
  return isPacked() ? getPackedBytes() : getNumElements() * getElementBytes();
}

SmallVector<int64_t> BufferType::getStrides() const {
  return getGivenStrides().empty() ? rowMajor(getShape()) : SmallVector<int64_t>(getGivenStrides());
}

bool BufferType::isPlain() const { return getGivenStrides().empty() && !isPacked(); }

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 ArrayRef<int64_t> strides, int64_t packedBytes, Space) {
  if (!elementType.isIntOrFloat())
    return emitError() << "elements are integers or floats, not " << elementType;
  int64_t elements = countElements(shape);
  if (elements < 0 || elements > maxBytes / elementBytes(elementType)) // (C1)
    return emitError() << "an extent is negative or the buffer has more than 2^60 bytes";
  if (!strides.empty() && strides.size() != shape.size()) // (C2)
    return emitError() << strides.size() << " strides for " << shape.size() << " dims";
  if (!strides.empty() && packedBytes != 0) // (C3)
    return emitError() << "strides and packed exclude each other";
  if (packedBytes < 0)
    return emitError() << "a packed layout of " << packedBytes << " bytes";
  return success();
}

Type BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  Type elementType;
  int64_t packed = 0;
  Space space = Space::device;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef word;
    if (parser.parseKeyword(&word))
      return {};
    if (std::optional<Space> named = symbolizeSpace(word)) {
      space = *named;
      continue;
    }
    if (parser.parseEqual())
      return {};
    ParseResult result = word == "strides"
                             ? parser.parseCommaSeparatedList(
                                   AsmParser::Delimiter::Square,
                                   [&] { return parser.parseInteger(strides.emplace_back()); })
                         : word == "packed" ? parser.parseInteger(packed)
                                            : parser.emitError(loc)
                                                  << "unknown word '" << word
                                                  << "' in a buffer type; it knows strides, packed "
                                                     "and the memory spaces";
    if (result)
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<BufferType>(
      loc, parser.getContext(), ArrayRef<int64_t>(shape), elementType,
      ArrayRef<int64_t>(canonicalStrides(shape, strides)), packed, space);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << (getShape().empty() ? "" : "x") << getElementType();
  if (!getGivenStrides().empty()) {
    printer << ", strides = [";
    llvm::interleaveComma(getGivenStrides(), printer.getStream());
    printer << ']';
  }
  if (isPacked())
    printer << ", packed = " << getPackedBytes();
  if (getSpace() != Space::device)
    printer << ", " << stringifySpace(getSpace());
  printer << '>';
}
