// Imports the nodes of graphs, sub-graphs and model-local functions.
#include "importers/onnx/importer.h"

#include "dialects/graph/model_tensor.h"
#include "importers/onnx/element_type.h"
#include "importers/onnx/tensor.h"
#include "importers/onnx/triangle.h"
#include "llvm/ADT/MapVector.h"

using namespace llvm;
using namespace mlir;
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

namespace sheaf::onnx {
namespace {

/// Sub-graphs and calls inside each other; each level is a few stack frames.
constexpr int kMaxFrameDepth = 100;

/// The attributes of a node; inside a function some refer to those of the call.
/// `dangling` becomes one that refers to a call but stands outside of functions.
AttributeMap resolveAttributes(const NodeProto &node, const AttributeMap *callAttributes,
                               const AttributeProto *&dangling) {
  AttributeMap attributes;
  for (const AttributeProto &attribute : node.attribute()) {
    if (attribute.ref_attr_name().empty()) {
      attributes[attribute.name()] = &attribute;
    } else if (!callAttributes) {
      dangling = &attribute;
    } else {
      auto found = callAttributes->find(attribute.ref_attr_name());
      if (found != callAttributes->end())
        attributes[attribute.name()] = found->second;
    }
  }
  return attributes;
}

} // namespace

/// Lets a node import its sub-graphs in its own frame.
class FrameHost : public NodeHost {
public:
  FrameHost(Importer &importer, const Frame &frame, const std::string &label)
      : importer(importer), frame(frame), label(label) {}

  std::optional<SmallVector<Value>> importSubgraph(const GraphProto &graph,
                                                   ValueRange inputs) override {
    return importer.importSubgraph(graph, inputs, frame, label);
  }
  std::optional<DenseElementsAttr> constantOf(Value value) override {
    if (auto constant = GraphBuilder::constantOf(value))
      return constant;
    return importer.arguments.constantOf(value);
  }
  Expected<TypedAttr> decode(const ::onnx::TensorProto &tensor) override {
    return tensorValue(importer.builder.getContext(), importer.file, tensor);
  }

private:
  Importer &importer;
  const Frame &frame;
  const std::string &label;
};

std::optional<Value> Scope::lookup(StringRef name) const {
  for (const Scope *scope = this; scope; scope = scope->parent)
    if (auto found = scope->values.find(name); found != scope->values.end())
      return found->second;
  return std::nullopt;
}

bool Scope::isAbsent(StringRef name) const {
  for (const Scope *scope = this; scope; scope = scope->parent)
    if (scope->values.contains(name))
      return scope->absent.contains(name);
  return false;
}

Expected<SmallVector<Value>> Importer::run() {
  const GraphProto &graph = file.proto().graph();
  for (const auto &entry : arguments.values())
    mainScope.values[entry.getKey()] = entry.second;
  if (Error failure = defineInitializers(graph, mainScope))
    return std::move(failure);
  importNodes(graph.node(), {&mainScope, &structure.opsets, nullptr, "", 0});
  nameTensors(graph.node());
  SmallVector<Value> results;
  for (const auto &output : graph.output()) {
    auto value = mainScope.lookup(output.name());
    if (value && *value) {
      const auto &declared = output.type().tensor_type();
      Type element = elementType(builder.getContext(), declared.elem_type());
      if (element && element != GraphBuilder::element(*value)) {
        std::string found, expected;
        raw_string_ostream(found) << GraphBuilder::element(*value);
        raw_string_ostream(expected) << element;
        return createStringError("the output \"" + output.name() +
                                 "\" is declared with elements of " + expected +
                                 " but its node gives " + found);
      }
    } else if (nodeFailures.empty()) {
      return createStringError("the output \"" + output.name() + "\" is not a tensor");
    }
    results.push_back(value.value_or(Value()));
  }
  return results;
}

std::optional<ArrayRef<int64_t>> Importer::shapeOf(StringRef name) const {
  auto value = mainScope.lookup(name);
  return value && *value ? std::optional(GraphBuilder::shape(*value)) : std::nullopt;
}

Error Importer::defineInitializers(const GraphProto &graph, Scope &scope) {
  for (const auto &tensor : graph.initializer()) {
    if (scope.values.contains(tensor.name()))
      continue; // A parameter, or an input's default.
    auto value = tensorValue(builder.getContext(), file, tensor);
    if (!value)
      return createStringError("initializer \"" + tensor.name() + "\" " +
                               toString(value.takeError()));
    auto loc = NameLoc::get(builder.getStringAttr(tensor.name()));
    GraphBuilder at(builder, loc, state);
    Value triangle = isa<DenseElementsAttr>(*value) ? Value() : buildTriangle(at, file, *value);
    scope.values[tensor.name()] =
        triangle ? triangle : Value(graph::ConstantOp::create(builder, loc, *value));
  }
  if (!graph.sparse_initializer().empty())
    return createStringError("initializer \"" + graph.sparse_initializer(0).values().name() +
                             "\" is sparse, which is not supported");
  return Error::success();
}

void Importer::importNodes(const NodeList &nodes, const Frame &frame) {
  auto order = structure.order.find(&nodes);
  for (int index : order->second)
    importNode(nodes[index], index, frame);
}

/// The node's label in quotes; one without a name is told by its output.
static std::string quoted(const NodeProto &node, const std::string &label) {
  std::string text = "\"" + label + "\"";
  if (node.name().empty() && node.output_size() > 0)
    text += " (\"" + node.output(0) + "\")";
  return text;
}

void Importer::report(const NodeProto &node, const std::string &label, int64_t version,
                      StringRef reason) {
  StringRef domain = canonicalDomain(node.domain());
  std::string op = domain.empty()
                       ? node.op_type() + " (opset " + std::to_string(version) + ")"
                       : domain.str() + "." + node.op_type() + " " + std::to_string(version);
  // An unrolled loop meets the same node again and again.
  if (reported.try_emplace(label + '\0' + reason.str(), true).second)
    nodeFailures.push_back({quoted(node, label), op, reason.str()});
}

void Importer::importNode(const NodeProto &node, int index, const Frame &frame) {
  std::string label = frame.prefix + nodeLabel(node, index);
  StringRef domain = canonicalDomain(node.domain());
  for (const std::string &output : node.output())
    if (!output.empty())
      frame.scope->values[output] = {};

  SmallVector<Value> inputs;
  bool hasFailedInput = false;
  for (const std::string &name : node.input()) {
    inputs.push_back(name.empty() ? Value() : frame.scope->lookup(name).value_or(Value()));
    hasFailedInput |= !name.empty() && !inputs.back() && !frame.scope->isAbsent(name);
  }
  const AttributeProto *dangling = nullptr;
  AttributeMap attributes = resolveAttributes(node, frame.callAttributes, dangling);
  if (dangling)
    return report(node, label, 0,
                  ("the attribute \"" + Twine(dangling->name()) +
                   "\" refers to a call, but the node is in no function")
                      .str());

  auto function =
      structure.functions.find(functionKey(node.domain(), node.op_type(), node.overload()));
  if (function != structure.functions.end()) {
    if (!hasFailedInput)
      callFunction(*function->second, node, label, inputs, attributes, frame);
    return;
  }
  auto opset = frame.opsets->find(domain);
  int64_t version = opset == frame.opsets->end() ? 0 : opset->second;
  const OpTable &table = OpTable::get();
  ImportFunction import = table.find(domain, node.op_type(), version);
  if (opset == frame.opsets->end() && domain != kMicrosoft)
    return report(node, label, version, "the model imports no operator set of this domain");
  if (!import)
    return report(node, label, version,
                  table.isKnown(domain, node.op_type()) ? "not supported at this version"
                                                        : "unknown operator");
  if (hasFailedInput)
    return; // The node that failed has been reported.
  auto loc = NameLoc::get(builder.getStringAttr(label));
  FrameHost host(*this, frame, label);
  Node view(node, version, attributes, inputs, GraphBuilder(builder, loc, state), host);
  import(view);
  if (!view.failed())
    view.checkComplete();
  if (view.failed()) {
    if (!view.reason().empty())
      report(node, label, version, view.reason());
    return;
  }
  for (auto [position, output] : enumerate(node.output()))
    if (!output.empty())
      frame.scope->values[output] = view.result(position);
}

void Importer::nameTensors(const NodeList &nodes) {
  MapVector<Operation *, std::vector<graph::TensorNames>> names;
  for (const NodeProto &node : nodes)
    for (const std::string &output : node.output())
      if (auto result = dyn_cast_or_null<OpResult>(mainScope.lookup(output).value_or(Value()))) {
        auto &own = names[result.getOwner()];
        own.resize(result.getOwner()->getNumResults());
        own[result.getResultNumber()].push_back(output);
      }
  for (const auto &[op, own] : names)
    graph::setModelTensors(op, own);
}

void Importer::callFunction(const FunctionProto &function, const NodeProto &node,
                            const std::string &label, ArrayRef<Value> inputs,
                            const AttributeMap &attributes, const Frame &frame) {
  if (frame.depth >= kMaxFrameDepth)
    return report(node, label, 0, "calls nest deeper than 100");
  if (inputs.size() > static_cast<size_t>(function.input_size()) ||
      node.output_size() > function.output_size())
    return report(node, label, 0, "has more inputs or outputs than its function");
  AttributeMap callAttributes;
  for (const AttributeProto &attribute : function.attribute_proto())
    callAttributes[attribute.name()] = &attribute;
  for (const auto &attribute : attributes)
    callAttributes[attribute.getKey()] = attribute.second;

  Scope scope;
  for (auto [position, name] : enumerate(function.input()))
    scope.values[name] = position < inputs.size() ? inputs[position] : Value();
  for (auto [position, name] : enumerate(function.input()))
    if (position >= inputs.size() || !inputs[position])
      scope.absent.insert(name);
  auto opsets = readOpsets(function.opset_import());
  if (!opsets)
    return report(node, label, 0, toString(opsets.takeError()));
  if (--state.opsLeft < 0)
    return report(node, label, 0, "the model expands to more than 2000000 ops");
  importNodes(function.node(), {&scope, opsets->empty() ? frame.opsets : &*opsets, &callAttributes,
                                label + "/", frame.depth + 1});
  for (auto [position, output] : enumerate(node.output()))
    if (!output.empty())
      frame.scope->values[output] =
          scope.lookup(function.output(static_cast<int>(position))).value_or(Value());
}

std::optional<SmallVector<Value>> Importer::importSubgraph(const GraphProto &graph,
                                                           ValueRange inputs, const Frame &outer,
                                                           const std::string &label) {
  auto fail = [&](const Twine &reason) {
    nodeFailures.push_back({"\"" + label + "\"", "sub-graph", reason.str()});
    return std::nullopt;
  };
  if (outer.depth >= kMaxFrameDepth)
    return fail("sub-graphs nest deeper than 100");
  if (static_cast<size_t>(graph.input_size()) != inputs.size())
    return fail("has " + Twine(graph.input_size()) + " inputs, its node gives " +
                Twine(inputs.size()));
  size_t numFailures = nodeFailures.size();
  Scope scope{outer.scope, {}, {}};
  for (auto [input, value] : zip(graph.input(), inputs))
    scope.values[input.name()] = value;
  if (Error failure = defineInitializers(graph, scope))
    return fail(toString(std::move(failure)));
  importNodes(graph.node(),
              {&scope, outer.opsets, outer.callAttributes, label + "/", outer.depth + 1});
  SmallVector<Value> results;
  for (const auto &output : graph.output())
    results.push_back(scope.lookup(output.name()).value_or(Value()));
  if (nodeFailures.size() != numFailures || !all_of(results, [](Value value) { return value; }))
    return std::nullopt;
  return results;
}

} // namespace sheaf::onnx
