// Reads the attributes of a node, checking their types.
#include "importers/onnx/element_type.h"
#include "importers/onnx/node.h"

using namespace llvm;
using namespace mlir;
using ::onnx::AttributeProto;

namespace sheaf::onnx {

const AttributeProto *Node::find(StringRef name, AttributeProto::AttributeType type) {
  read[name] = true;
  auto found = attributes.find(name);
  if (found == attributes.end())
    return nullptr;
  const AttributeProto &attribute = *found->second;
  // Files before IR version 2 leave the type out.
  if (attribute.has_type() && attribute.type() != type) {
    auto typeName = [](AttributeProto::AttributeType type) {
      return AttributeProto::AttributeType_Name(type);
    };
    fail("the attribute \"" + name + "\" is of type " + typeName(attribute.type()) + ", not " +
         typeName(type));
    return nullptr;
  }
  return &attribute;
}

bool Node::hasAttribute(StringRef name) { return attributes.contains(name); }

void Node::ignore(StringRef name) { read[name] = true; }

std::optional<int64_t> Node::maybeInteger(StringRef name) {
  const AttributeProto *attribute = find(name, AttributeProto::INT);
  return attribute ? std::optional(attribute->i()) : std::nullopt;
}

int64_t Node::integer(StringRef name, int64_t fallback) {
  return maybeInteger(name).value_or(fallback);
}

int64_t Node::requiredInteger(StringRef name) {
  auto value = maybeInteger(name);
  if (!value)
    fail("the attribute \"" + name + "\" is missing");
  return value.value_or(0);
}

double Node::real(StringRef name, double fallback) {
  const AttributeProto *attribute = find(name, AttributeProto::FLOAT);
  return attribute ? attribute->f() : fallback;
}

std::string Node::string(StringRef name, StringRef fallback) {
  const AttributeProto *attribute = find(name, AttributeProto::STRING);
  return attribute ? attribute->s() : fallback.str();
}

SmallVector<int64_t> Node::integers(StringRef name, ArrayRef<int64_t> fallback) {
  const AttributeProto *attribute = find(name, AttributeProto::INTS);
  return attribute ? SmallVector<int64_t>(attribute->ints().begin(), attribute->ints().end())
                   : SmallVector<int64_t>(fallback);
}

SmallVector<double> Node::reals(StringRef name) {
  const AttributeProto *attribute = find(name, AttributeProto::FLOATS);
  return attribute ? SmallVector<double>(attribute->floats().begin(), attribute->floats().end())
                   : SmallVector<double>();
}

SmallVector<std::string> Node::strings(StringRef name) {
  const AttributeProto *attribute = find(name, AttributeProto::STRINGS);
  return attribute
             ? SmallVector<std::string>(attribute->strings().begin(), attribute->strings().end())
             : SmallVector<std::string>();
}

const ::onnx::TensorProto *Node::tensor(StringRef name) {
  const AttributeProto *attribute = find(name, AttributeProto::TENSOR);
  return attribute ? &attribute->t() : nullptr;
}

const ::onnx::GraphProto *Node::subgraph(StringRef name) {
  const AttributeProto *attribute = find(name, AttributeProto::GRAPH);
  return attribute ? &attribute->g() : nullptr;
}

Type Node::elementTypeAttribute(StringRef name) {
  auto value = maybeInteger(name);
  if (!value)
    return {};
  Type type = *value > INT32_MAX ? Type() : elementType(context(), static_cast<int32_t>(*value));
  if (!type)
    fail("element type " + unknownTypeName(static_cast<int32_t>(*value)) + " is not supported");
  return type;
}

} // namespace sheaf::onnx
