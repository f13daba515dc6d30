// Fields of serialized protobuf messages, one after the other.
#ifndef SHEAF_IMPORTERS_ONNX_WIRE_FIELD_H
#define SHEAF_IMPORTERS_ONNX_WIRE_FIELD_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace sheaf::onnx {

enum WireType : uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// A field as it stands in a message.
struct WireField {
  uint64_t number;
  WireType type;
  /// The value of a varint.
  uint64_t value;
  /// Where the field begins, where its content does, and where both end, in bytes of the file.
  size_t begin, contentBegin, end;

  bool isBytes() const { return type == kBytes; }
};

/// Reads the fields of the message in [`begin`, `end`) of `file`. The content of bytes is not touched.
class WireReader {
public:
  WireReader(llvm::StringRef file, size_t begin, size_t end) : file(file), at(begin), end(end) {}

  bool atEnd() const { return at == end; }
  /// Error: the byte at which the message is cut off or malformed.
  llvm::Expected<WireField> next();

private:
  bool readVarint(uint64_t &value);

  llvm::StringRef file;
  size_t at, end;
};

/// The error of a model that is malformed at byte `at`.
llvm::Error wireError(size_t at, const llvm::Twine &what);

void appendVarint(std::string &out, uint64_t value);
/// A field that holds `bytes`; the second writes only what goes before them.
void appendBytes(std::string &out, uint64_t number, llvm::StringRef bytes);
void appendBytesHead(std::string &out, uint64_t number, uint64_t numBytes);

} // namespace sheaf::onnx

#endif
