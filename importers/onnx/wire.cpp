// Walks the wire format of a ModelProto and copies it without the raw data of its tensors.
#include "importers/onnx/wire.h"

#include "llvm/Support/LEB128.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace llvm;

namespace sheaf::onnx {
namespace {

enum class Message { Model, Graph, Node, Attribute, Function, Training, SparseTensor, Tensor };

/// The ways from a model down to its tensors, by onnx.proto's field numbers.
constexpr struct {
  Message parent;
  uint64_t field;
  Message child;
} kEdges[] = {{Message::Model, 7, Message::Graph},
              {Message::Model, 20, Message::Training},
              {Message::Model, 25, Message::Function},
              {Message::Graph, 1, Message::Node},
              {Message::Graph, 5, Message::Tensor},
              {Message::Graph, 15, Message::SparseTensor},
              {Message::Node, 5, Message::Attribute},
              {Message::Attribute, 5, Message::Tensor},
              {Message::Attribute, 6, Message::Graph},
              {Message::Attribute, 10, Message::Tensor},
              {Message::Attribute, 11, Message::Graph},
              {Message::Attribute, 22, Message::SparseTensor},
              {Message::Attribute, 23, Message::SparseTensor},
              {Message::Function, 7, Message::Node},
              {Message::Function, 11, Message::Attribute},
              {Message::Training, 1, Message::Graph},
              {Message::Training, 2, Message::Graph},
              {Message::SparseTensor, 1, Message::Tensor},
              {Message::SparseTensor, 2, Message::Tensor}};

constexpr uint64_t kTensorSegment = 3, kTensorRawData = 9;
enum WireType : uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// As deep as protobuf's own parser goes; sub-graphs nest three messages a level.
constexpr int kMaxDepth = 96;

std::optional<Message> childOf(Message parent, uint64_t field) {
  for (const auto &edge : kEdges)
    if (edge.parent == parent && edge.field == field)
      return edge.child;
  return std::nullopt;
}

void appendVarint(std::string &out, uint64_t value) {
  raw_string_ostream stream(out);
  encodeULEB128(value, stream);
}

void appendBytes(std::string &out, uint64_t field, StringRef bytes) {
  appendVarint(out, field << 3 | kBytes);
  appendVarint(out, bytes.size());
  out += bytes;
}

class Stripper {
public:
  explicit Stripper(StringRef model) : model(model) {}

  Error copy(Message kind, size_t begin, size_t end, std::string &out, int depth) {
    if (depth > kMaxDepth)
      return error(begin, "messages nest deeper than " + Twine(kMaxDepth));
    bool hasRawData = false;
    for (size_t at = begin; at < end;) {
      size_t start = at;
      uint64_t tag, length = 0;
      if (!readVarint(at, end, tag) || tag >> 3 == 0)
        return error(start, "not a field of a protobuf message");
      uint64_t field = tag >> 3;
      switch (tag & 7) {
      case kVarint:
        if (!readVarint(at, end, length))
          return error(start, "cut off or malformed number");
        out += model.slice(start, at);
        continue;
      case kFixed64:
        length = 8;
        break;
      case kFixed32:
        length = 4;
        break;
      case kBytes:
        if (!readVarint(at, end, length))
          return error(start, "cut off or malformed length");
        break;
      default:
        return error(start, "unknown wire type " + Twine(tag & 7));
      }
      if (length > end - at)
        return error(start, "cut off: a field of " + Twine(length) + " bytes has " +
                                Twine(end - at) + " left");
      bool isBytes = (tag & 7) == kBytes;
      if (kind == Message::Tensor && isBytes && field == kTensorSegment)
        return error(start, "a tensor stored in segments is not supported");
      if (kind == Message::Tensor && isBytes && field == kTensorRawData) {
        if (std::exchange(hasRawData, true))
          return error(start, "a tensor has raw_data twice");
        std::string segment;
        appendVarint(segment, 1 << 3 | kVarint);
        appendVarint(segment, at);
        appendVarint(segment, 2 << 3 | kVarint);
        appendVarint(segment, at + length);
        appendBytes(out, kTensorSegment, segment);
      } else if (auto child = isBytes ? childOf(kind, field) : std::nullopt) {
        std::string content;
        if (Error failure = copy(*child, at, at + length, content, depth + 1))
          return failure;
        appendBytes(out, field, content);
      } else {
        out += model.slice(start, at + length);
      }
      at += length;
    }
    return Error::success();
  }

private:
  static Error error(size_t at, const Twine &what) {
    return createStringError("not a valid ONNX model: " + what + " (at byte " + Twine(at) + ")");
  }

  bool readVarint(size_t &at, size_t end, uint64_t &value) const {
    value = 0;
    for (unsigned shift = 0; shift < 64 && at < end; shift += 7) {
      auto byte = static_cast<uint8_t>(model[at++]);
      value |= uint64_t(byte & 0x7f) << shift;
      if (byte < 0x80)
        return true;
    }
    return false;
  }

  StringRef model;
};

} // namespace

Expected<std::string> stripRawData(StringRef model) {
  std::string out;
  if (Error failure = Stripper(model).copy(Message::Model, 0, model.size(), out, 0))
    return std::move(failure);
  return out;
}

} // namespace sheaf::onnx
