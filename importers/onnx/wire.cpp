// Walks the wire format of a ModelProto and copies it without the raw data of its tensors.
#include "importers/onnx/wire.h"

#include "importers/onnx/wire_field.h"
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

constexpr uint64_t kTensorSegment = 3, kTensorRawData = 9, kTensorDataLocation = 14;
constexpr uint64_t kExternalLocation = 1;

/// As deep as protobuf's own parser goes; sub-graphs nest three messages a level.
constexpr int kMaxDepth = 96;

std::optional<Message> childOf(Message parent, uint64_t field) {
  for (const auto &edge : kEdges)
    if (edge.parent == parent && edge.field == field)
      return edge.child;
  return std::nullopt;
}

class Stripper {
public:
  explicit Stripper(StringRef model) : model(model) {}

  Error copy(Message kind, size_t begin, size_t end, std::string &out, int depth) {
    if (depth > kMaxDepth)
      return wireError(begin, "messages nest deeper than " + Twine(kMaxDepth));
    bool hasRawData = false;
    for (WireReader reader(model, begin, end); !reader.atEnd();) {
      Expected<WireField> field = reader.next();
      if (!field)
        return field.takeError();
      bool isOfTensor = kind == Message::Tensor && field->isBytes();
      if (isOfTensor && field->number == kTensorSegment)
        return wireError(field->begin, "a tensor stored in segments is not supported");
      if (isOfTensor && field->number == kTensorRawData) {
        if (std::exchange(hasRawData, true))
          return wireError(field->begin, "a tensor has raw_data twice");
        std::string segment;
        appendVarint(segment, 1 << 3 | kVarint);
        appendVarint(segment, field->contentBegin);
        appendVarint(segment, 2 << 3 | kVarint);
        appendVarint(segment, field->end);
        appendBytes(out, kTensorSegment, segment);
      } else if (auto child = field->isBytes() ? childOf(kind, field->number) : std::nullopt) {
        std::string content;
        if (Error failure = copy(*child, field->contentBegin, field->end, content, depth + 1))
          return failure;
        appendBytes(out, field->number, content);
      } else {
        out += model.slice(field->begin, field->end);
      }
    }
    return Error::success();
  }

private:
  StringRef model;
};

Expected<bool> hasExternal(StringRef model, Message kind, size_t begin, size_t end, int depth) {
  if (depth > kMaxDepth)
    return wireError(begin, "messages nest deeper than " + Twine(kMaxDepth));
  for (WireReader reader(model, begin, end); !reader.atEnd();) {
    Expected<WireField> field = reader.next();
    if (!field)
      return field.takeError();
    if (kind == Message::Tensor && field->number == kTensorDataLocation &&
        field->value == kExternalLocation)
      return true;
    auto child = field->isBytes() ? childOf(kind, field->number) : std::nullopt;
    if (!child)
      continue;
    Expected<bool> isFound = hasExternal(model, *child, field->contentBegin, field->end, depth + 1);
    if (!isFound || *isFound)
      return isFound;
  }
  return false;
}

} // namespace

Expected<bool> hasExternalData(StringRef model) {
  return hasExternal(model, Message::Model, 0, model.size(), 0);
}

Expected<std::string> stripRawData(StringRef model) {
  std::string out;
  if (Error failure = Stripper(model).copy(Message::Model, 0, model.size(), out, 0))
    return std::move(failure);
  return out;
}

} // namespace sheaf::onnx
