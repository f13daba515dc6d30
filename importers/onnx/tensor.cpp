// Decodes ONNX tensors, or refers to their place in a file.
#include "importers/onnx/tensor.h"

#include "dialects/graph/graph.h"
#include "importers/onnx/element_type.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using mlir::DenseElementsAttr;
using mlir::MLIRContext;
using mlir::RankedTensorType;
using mlir::Type;
using mlir::TypedAttr;
using ::onnx::TensorProto;

namespace sheaf::onnx {
namespace {

Error wrongCount(size_t found, const Twine &unit, int64_t expected, RankedTensorType type) {
  std::string dims;
  raw_string_ostream stream(dims);
  interleave(type.getShape(), stream, "x");
  return createStringError("has " + Twine(found) + " " + unit + ", its dims [" + dims + "] need " +
                           Twine(expected));
}

template <typename Stored, typename Field>
Expected<std::string> packField(const Field &field, RankedTensorType type) {
  if (field.size() != type.getNumElements())
    return wrongCount(field.size(), "values", type.getNumElements(), type);
  std::string bytes;
  bytes.reserve(field.size() * sizeof(Stored));
  for (auto value : field) {
    auto stored = static_cast<Stored>(value);
    bytes.append(reinterpret_cast<const char *>(&stored), sizeof(Stored));
  }
  return bytes;
}

/// Sub-byte elements: an entry is one byte of the packed form, but for 6 bits, one element.
Expected<std::string> packSubByte(const TensorProto &tensor, RankedTensorType type) {
  unsigned bits = storedBits(type.getElementType());
  int64_t entries = bits == 6 ? type.getNumElements() : *storedBytes(type);
  if (tensor.int32_data_size() != entries)
    return wrongCount(tensor.int32_data_size(), "entries", entries, type);
  std::string bytes(*storedBytes(type), '\0');
  for (auto [index, entry] : enumerate(tensor.int32_data())) {
    if (bits != 6) {
      bytes[index] = static_cast<char>(entry);
      continue;
    }
    for (unsigned bit = 0; bit < 6; ++bit)
      if (entry >> bit & 1)
        bytes[(index * 6 + bit) / 8] |= static_cast<char>(1 << ((index * 6 + bit) % 8));
  }
  return bytes;
}

/// The values of the typed fields in the form of raw_data. 16-bit floats are the low bits of an
/// int32_data entry.
Expected<std::string> packTypedData(const TensorProto &tensor, RankedTensorType type) {
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
    return packField<float>(tensor.float_data(), type);
  case TensorProto::DOUBLE:
    return packField<double>(tensor.double_data(), type);
  case TensorProto::INT64:
    return packField<int64_t>(tensor.int64_data(), type);
  case TensorProto::UINT64:
    return packField<uint64_t>(tensor.uint64_data(), type);
  case TensorProto::UINT32:
    return packField<uint32_t>(tensor.uint64_data(), type);
  default:
    break;
  }
  switch (storedBits(type.getElementType())) {
  case 32:
    return packField<int32_t>(tensor.int32_data(), type);
  case 16:
    return packField<int16_t>(tensor.int32_data(), type);
  case 8:
    return packField<int8_t>(tensor.int32_data(), type);
  default:
    return packSubByte(tensor, type);
  }
}

Expected<std::optional<ByteRange>> checkedPlace(ModelFile &file, const TensorProto &tensor,
                                                RankedTensorType type) {
  auto place = file.place(tensor);
  if (!place || !*place)
    return place;
  int64_t expected = *storedBytes(type);
  bool isOpenEnded =
      tensor.data_location() == TensorProto::EXTERNAL &&
      none_of(tensor.external_data(), [](const auto &entry) { return entry.key() == "length"; });
  if (isOpenEnded && (*place)->length >= static_cast<uint64_t>(expected))
    (*place)->length = expected;
  if ((*place)->length != static_cast<uint64_t>(expected))
    return wrongCount((*place)->length, "bytes", expected, type);
  return place;
}

TypedAttr resource(RankedTensorType type, StringRef bytes) {
  auto blob = mlir::HeapAsmResourceBlob::allocateAndCopyWithAlign(
      ArrayRef<char>(bytes.data(), bytes.size()), /*align=*/64);
  return mlir::DenseResourceElementsAttr::get(type, "onnx", std::move(blob));
}

} // namespace

std::optional<int64_t> storedBytes(RankedTensorType type) {
  int64_t bits = storedBits(type.getElementType());
  for (int64_t extent : type.getShape())
    if (MulOverflow(bits, extent, bits))
      return std::nullopt;
  return bits > INT64_MAX - 7 ? std::nullopt : std::optional(bits / 8 + (bits % 8 != 0));
}

Expected<RankedTensorType> tensorType(MLIRContext *context, const TensorProto &tensor) {
  Type element = elementType(context, tensor.data_type());
  if (!element)
    return createStringError("has the element type " + unknownTypeName(tensor.data_type()) +
                             ", which is not supported");
  if (tensor.dims_size() > kMaxRank)
    return createStringError("has " + Twine(tensor.dims_size()) + " dims, more than " +
                             Twine(kMaxRank));
  for (int64_t extent : tensor.dims())
    if (extent < 0)
      return createStringError("has the negative dim " + Twine(extent));
  auto type =
      RankedTensorType::get(ArrayRef<int64_t>(tensor.dims().data(), tensor.dims_size()), element);
  if (!storedBytes(type))
    return createStringError("has more elements than 64 bits can count");
  return type;
}

DenseElementsAttr decodePacked(RankedTensorType type, StringRef bytes) {
  Type element = type.getElementType();
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits == 1) {
    SmallVector<bool> values(map_range(bytes, [](char byte) { return byte != 0; }));
    return DenseElementsAttr::get(type, ArrayRef(values));
  }
  if (bits % 8 == 0)
    return DenseElementsAttr::getFromRawBuffer(type, ArrayRef<char>(bytes.data(), bytes.size()));
  // MLIR holds elements below a byte in a byte each, as their low bits.
  SmallVector<char> spread(type.getNumElements());
  for (int64_t index = 0, end = type.getNumElements(); index < end; ++index) {
    unsigned value = 0;
    for (unsigned bit = 0; bit < bits; ++bit) {
      int64_t place = index * bits + bit;
      value |= (bytes[place / 8] >> (place % 8) & 1u) << bit;
    }
    spread[index] = static_cast<char>(value);
  }
  return DenseElementsAttr::getFromRawBuffer(type, spread);
}

Expected<TypedAttr> tensorValue(MLIRContext *context, ModelFile &file, const TensorProto &tensor) {
  auto type = tensorType(context, tensor);
  if (!type)
    return type.takeError();
  auto place = checkedPlace(file, tensor, *type);
  if (!place)
    return place.takeError();
  bool isLarge = *storedBytes(*type) > kMaxInlineBytes;
  if (*place && isLarge)
    return graph::ExternalAttr::get(context, (*place)->path, (*place)->offset, (*place)->length,
                                    *type);
  std::string typed;
  StringRef bytes;
  if (*place) {
    auto mapped = file.bytes(**place);
    if (!mapped)
      return mapped.takeError();
    bytes = *mapped;
  } else {
    auto packed = packTypedData(tensor, *type);
    if (!packed)
      return packed.takeError();
    typed = std::move(*packed);
    bytes = typed;
  }
  if (isLarge && type->getElementType().getIntOrFloatBitWidth() % 8 == 0)
    return resource(*type, bytes);
  return decodePacked(*type, bytes);
}

Expected<TypedAttr> tensorSource(MLIRContext *context, ModelFile &file, const TensorProto &tensor) {
  auto type = tensorType(context, tensor);
  if (!type)
    return type.takeError();
  auto place = checkedPlace(file, tensor, *type);
  if (!place)
    return place.takeError();
  if (!*place)
    return tensorValue(context, file, tensor);
  return graph::ExternalAttr::get(context, (*place)->path, (*place)->offset, (*place)->length,
                                  *type);
}

} // namespace sheaf::onnx
