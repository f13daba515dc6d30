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

/// Elements in memory, blocks filled up; negative when they are too many or an extent is negative.
int64_t elementsInMemory(ArrayRef<int64_t> shape, int64_t block) {
  int64_t count = 1;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    int64_t padded = block > 0 && dim == 1 ? (extent + block - 1) / block * block : extent;
    if (padded < 0 || llvm::MulOverflow(count, std::max<int64_t>(padded, 1), count) ||
        count > maxBytes)
      return -1;
  }
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
  int64_t block = 0, packed = 0;
  if (auto blocked = dyn_cast_or_null<BlockedAttr>(tensor.getEncoding()))
    block = blocked.getBlock();
  if (auto attr = dyn_cast_or_null<PackedAttr>(tensor.getEncoding()))
    packed = attr.getBytes();
  return get(tensor.getContext(), tensor.getShape(), tensor.getElementType(), {}, block, packed,
             Space::device);
}

int64_t BufferType::getNumElements() const { return elementsInMemory(getShape(), /*block=*/0); }

int64_t BufferType::getElementBytes() const { return elementBytes(getElementType()); }

int64_t BufferType::getBytes() const {
  if (getPackedBytes() > 0)
    return getPackedBytes();
  return elementsInMemory(getShape(), getBlock()) * getElementBytes();
}

SmallVector<int64_t> BufferType::getStrides() const {
  return getGivenStrides().empty() ? rowMajor(getShape()) : SmallVector<int64_t>(getGivenStrides());
}

bool BufferType::isPlain() const { return getGivenStrides().empty() && !isOpaque(); }

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 ArrayRef<int64_t> strides, int64_t block, int64_t packedBytes,
                                 Space) {
  if (!elementType.isIntOrFloat())
    return emitError() << "elements are integers or floats, not " << elementType;
  int64_t elements = elementsInMemory(shape, block);
  if (elements < 0 || elements > maxBytes / elementBytes(elementType)) // (C1)
    return emitError() << "an extent is negative or the buffer has more than 2^60 bytes";
  if (!strides.empty() && strides.size() != shape.size()) // (C2)
    return emitError() << strides.size() << " strides for " << shape.size() << " dims";
  if (!strides.empty() + (block != 0) + (packedBytes != 0) > 1) // (C3)
    return emitError() << "strides, blocked and packed exclude each other";
  if (block != 0 && ((block != 8 && block != 16) || shape.size() < 3 || shape.size() > 5)) // (C4)
    return emitError() << "blocks of " << block << " channels in rank " << shape.size()
                       << "; blocks are 8 or 16, ranks 3 to 5";
  if (packedBytes < 0)
    return emitError() << "a packed layout of " << packedBytes << " bytes";
  return success();
}

Type BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  Type elementType;
  int64_t block = 0, packed = 0;
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
    ParseResult result =
        word == "strides"   ? parser.parseCommaSeparatedList(
                                  AsmParser::Delimiter::Square,
                                  [&] { return parser.parseInteger(strides.emplace_back()); })
        : word == "blocked" ? parser.parseInteger(block)
        : word == "packed"  ? parser.parseInteger(packed)
                            : parser.emitError(loc)
                                  << "unknown word '" << word
                                  << "' in a buffer type; it knows strides, blocked, packed "
                                     "and the memory spaces";
    if (result)
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<BufferType>(
      loc, parser.getContext(), ArrayRef<int64_t>(shape), elementType,
      ArrayRef<int64_t>(canonicalStrides(shape, strides)), block, packed, space);
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
  if (getBlock() > 0)
    printer << ", blocked = " << getBlock();
  if (getPackedBytes() > 0)
    printer << ", packed = " << getPackedBytes();
  if (getSpace() != Space::device)
    printer << ", " << stringifySpace(getSpace());
  printer << '>';
}
