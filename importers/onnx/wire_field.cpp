// Reads and writes the tags, lengths and numbers of protobuf's wire format.
#include "importers/onnx/wire_field.h"

#include "llvm/Support/LEB128.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace sheaf::onnx {

Error wireError(size_t at, const Twine &what) {
  return createStringError("not a valid ONNX model: " + what + " (at byte " + Twine(at) + ")");
}

bool WireReader::readVarint(uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && at < end; shift += 7) {
    auto byte = static_cast<uint8_t>(file[at++]);
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

Expected<WireField> WireReader::next() {
  size_t start = at;
  uint64_t tag, length = 0, value = 0;
  if (!readVarint(tag) || tag >> 3 == 0)
    return wireError(start, "not a field of a protobuf message");
  switch (tag & 7) {
  case kVarint:
    if (!readVarint(value))
      return wireError(start, "cut off or malformed number");
    return WireField{tag >> 3, kVarint, value, start, at, at};
  case kFixed64:
    length = 8;
    break;
  case kFixed32:
    length = 4;
    break;
  case kBytes:
    if (!readVarint(length))
      return wireError(start, "cut off or malformed length");
    break;
  default:
    return wireError(start, "unknown wire type " + Twine(tag & 7));
  }
  if (length > end - at)
    return wireError(start, "cut off: a field of " + Twine(length) + " bytes has " +
                                Twine(end - at) + " left");
  size_t content = std::exchange(at, at + length);
  return WireField{tag >> 3, static_cast<WireType>(tag & 7), 0, start, content, at};
}

void appendVarint(std::string &out, uint64_t value) {
  raw_string_ostream stream(out);
  encodeULEB128(value, stream);
}

void appendBytesHead(std::string &out, uint64_t number, uint64_t numBytes) {
  appendVarint(out, number << 3 | kBytes);
  appendVarint(out, numBytes);
}

void appendBytes(std::string &out, uint64_t number, StringRef bytes) {
  appendBytesHead(out, number, bytes.size());
  out += bytes;
}

} // namespace sheaf::onnx
