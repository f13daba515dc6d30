// Parses numpy's array files.
#include "importers/onnx/npy.h"

#include "importers/onnx/tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using mlir::MLIRContext;
using mlir::RankedTensorType;
using mlir::Type;

namespace sheaf::onnx {
namespace {

/// The text after `'key':` in the header's Python dictionary.
StringRef valueOf(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "':").str());
  return at == StringRef::npos ? "" : header.drop_front(at + key.size() + 3).ltrim();
}

Type parseType(MLIRContext *context, StringRef text) {
  auto natural = [&](unsigned width) {
    return mlir::IntegerType::get(context, width, mlir::IntegerType::Unsigned);
  };
  return StringSwitch<Type>(text.drop_front(1).take_until([](char c) { return c == '\''; }))
      .Case("<f4", mlir::Float32Type::get(context))
      .Case("<f8", mlir::Float64Type::get(context))
      .Case("<f2", mlir::Float16Type::get(context))
      .Case("|b1", mlir::IntegerType::get(context, 1))
      .Case("|i1", mlir::IntegerType::get(context, 8))
      .Case("<i2", mlir::IntegerType::get(context, 16))
      .Case("<i4", mlir::IntegerType::get(context, 32))
      .Case("<i8", mlir::IntegerType::get(context, 64))
      .Case("|u1", natural(8))
      .Case("<u2", natural(16))
      .Case("<u4", natural(32))
      .Case("<u8", natural(64))
      .Default(Type());
}

Expected<SmallVector<int64_t>> parseShape(StringRef text) {
  if (!text.consume_front("("))
    return createStringError("malformed shape");
  SmallVector<int64_t> shape;
  for (;;) {
    text = text.ltrim(" ,");
    if (text.consume_front(")"))
      return shape;
    int64_t extent;
    if (text.consumeInteger(10, extent) || extent < 0 || shape.size() >= kMaxRank)
      return createStringError("malformed shape");
    shape.push_back(extent);
  }
}

} // namespace

Expected<mlir::DenseElementsAttr> readNpy(MLIRContext *context, StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot open \"" + path + "\": " + buffer.getError().message());
  StringRef bytes = (*buffer)->getBuffer();
  auto malformed = [&](const Twine &what) {
    return createStringError("\"" + path + "\" is not an .npy file: " + what);
  };
  if (!bytes.consume_front("\x93NUMPY") || bytes.size() < 6)
    return malformed("it has another signature");
  bool isLong = bytes[0] != 1;
  size_t length = isLong ? support::endian::read32le(bytes.data() + 2)
                         : support::endian::read16le(bytes.data() + 2);
  bytes = bytes.drop_front(isLong ? 6 : 4);
  if (length > bytes.size())
    return malformed("its header is cut off");
  StringRef header = bytes.take_front(length), data = bytes.drop_front(length);
  Type element = parseType(context, valueOf(header, "descr"));
  if (!element)
    return malformed("its element type is not supported: " + header.take_front(60));
  if (!valueOf(header, "fortran_order").starts_with("False"))
    return malformed("its elements are in Fortran order");
  auto shape = parseShape(valueOf(header, "shape"));
  if (!shape)
    return malformed(toString(shape.takeError()));
  auto type = RankedTensorType::get(*shape, element);
  auto size = storedBytes(type);
  if (!size || static_cast<uint64_t>(*size) != data.size())
    return malformed("its data does not have the size of its shape");
  if (*size > kMaxInlineBytes)
    return createStringError("\"" + path + "\" is larger than " + Twine(kMaxInlineBytes) +
                             " bytes; feed it as an input");
  return decodePacked(type, data);
}

} // namespace sheaf::onnx
