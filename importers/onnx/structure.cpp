// Checks names, scopes and recursion of a model before its operators are looked at.
#include "importers/onnx/structure.h"

#include "importers/onnx/node_order.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

namespace sheaf::onnx {
namespace {

/// The names of one graph, with what defines each; outer graphs through `parent`.
struct Names {
  const Names *parent = nullptr;
  StringMap<std::string> definers;

  const std::string *definer(StringRef name) const {
    auto entry = definers.find(name);
    return entry == definers.end() ? nullptr : &entry->second;
  }
};

class Checker {
public:
  explicit Checker(Structure &structure) : structure(structure) {}

  Error checkGraph(const GraphProto &graph, const Names *parent, const Twine &where) {
    Names names{parent, {}};
    StringMap<bool> inputs;
    for (const auto &input : graph.input()) {
      inputs.try_emplace(input.name(), true);
      if (Error failure = define(names, input.name(), "a graph input", where))
        return failure;
    }
    for (const auto &tensor : graph.initializer())
      if (!inputs.erase(tensor.name())) // An input's default.
        if (Error failure = define(names, tensor.name(), "an initializer", where))
          return failure;
    for (const auto &tensor : graph.sparse_initializer())
      if (!inputs.erase(tensor.values().name()))
        if (Error failure = define(names, tensor.values().name(), "a sparse initializer", where))
          return failure;
    if (Error failure = checkNodes(graph.node(), names, where))
      return failure;
    StringMap<bool> outputs;
    for (const auto &output : graph.output()) {
      if (!isKnown(names, output.name()))
        return createStringError(where + "the output \"" + output.name() + "\" is not defined");
      if (!parent && !outputs.try_emplace(output.name(), true).second)
        return createStringError(where + "the output \"" + output.name() + "\" is listed twice");
    }
    return Error::success();
  }

  Error checkFunction(const FunctionProto &function) {
    std::string where = "function " + function.domain() + "::" + function.name() + ": ";
    Names names;
    for (const std::string &input : function.input())
      if (Error failure = define(names, input, "an input", where))
        return failure;
    if (Error failure = checkNodes(function.node(), names, where))
      return failure;
    for (const std::string &output : function.output())
      if (!isKnown(names, output))
        return createStringError(where + "the output \"" + output + "\" is not defined");
    return Error::success();
  }

private:
  static bool isKnown(const Names &names, StringRef name) {
    for (const Names *scope = &names; scope; scope = scope->parent)
      if (scope->definer(name))
        return true;
    return false;
  }

  static Error define(Names &names, StringRef name, const Twine &definer, const Twine &where) {
    if (name.empty())
      return createStringError(where + definer + " has no name");
    if (const std::string *other = names.definer(name))
      return createStringError(where + "the value \"" + name + "\" is defined twice: by " + *other +
                               " and by " + definer);
    for (const Names *scope = names.parent; scope; scope = scope->parent)
      if (const std::string *other = scope->definer(name))
        return createStringError(where + "the value \"" + name + "\", " + definer +
                                 ", redefines a name of an outer graph (there defined by " +
                                 *other + ")");
    names.definers[name] = definer.str();
    return Error::success();
  }

  Error checkNodes(const NodeList &nodes, Names &names, const Twine &where) {
    for (auto [index, node] : enumerate(nodes))
      for (const std::string &output : node.output())
        if (!output.empty())
          if (Error failure =
                  define(names, output, "node \"" + nodeLabel(node, index) + "\"", where))
            return failure;
    for (auto [index, node] : enumerate(nodes)) {
      std::string label = "node \"" + nodeLabel(node, index) + "\" (" + node.op_type() + ")";
      if (node.op_type().empty())
        return createStringError(where + label + " has no operator");
      for (const std::string &input : node.input())
        if (!input.empty() && !isKnown(names, input))
          return createStringError(where + label + " uses the value \"" + input +
                                   "\", which is not defined");
      if (Error failure = checkAttributes(node, names, where + label + ": "))
        return failure;
    }
    Expected<SmallVector<int>> order = sortNodes(nodes);
    if (!order)
      return createStringError(where + toString(order.takeError()));
    structure.order[&nodes] = std::move(*order);
    return Error::success();
  }

  Error checkAttributes(const NodeProto &node, const Names &names, const Twine &where) {
    StringMap<bool> seen;
    for (const auto &attribute : node.attribute()) {
      if (!seen.try_emplace(attribute.name(), true).second)
        return createStringError(where + "has the attribute \"" + attribute.name() + "\" twice");
      std::string inner = (where + attribute.name() + ": ").str();
      if (attribute.has_g())
        if (Error failure = checkGraph(attribute.g(), &names, inner))
          return failure;
      for (const GraphProto &graph : attribute.graphs())
        if (Error failure = checkGraph(graph, &names, inner))
          return failure;
    }
    return Error::success();
  }

  Structure &structure;
};

/// Finds a function that reaches itself by calls.
class RecursionFinder {
public:
  explicit RecursionFinder(const Structure &structure) : structure(structure) {}

  Error visit(StringRef key, const FunctionProto &function) {
    if (done.contains(key))
      return Error::success();
    if (is_contained(path, key)) {
      SmallVector<std::string> cycle(
          map_range(ArrayRef(path).drop_front(find(path, key) - path.begin()), display));
      return createStringError("function " + display(key) +
                               " calls itself: " + join(cycle, " -> ") + " -> " + display(key));
    }
    path.push_back(key);
    if (path.size() > kMaxCallDepth)
      return createStringError("functions call each other deeper than " + Twine(kMaxCallDepth) +
                               ": " + display(path.front()) + " reaches " + display(key));
    if (Error failure = visitNodes(function.node()))
      return failure;
    path.pop_back();
    done[key] = true;
    return Error::success();
  }

private:
  static constexpr size_t kMaxCallDepth = 200;

  static std::string display(StringRef key) {
    auto [domain, rest] = key.split('\0');
    return (domain + "::" + rest.split('\0').first).str();
  }

  Error visitNodes(const NodeList &nodes) {
    for (const NodeProto &node : nodes) {
      auto callee =
          structure.functions.find(functionKey(node.domain(), node.op_type(), node.overload()));
      if (callee != structure.functions.end())
        if (Error failure = visit(callee->getKey(), *callee->second))
          return failure;
      for (const auto &attribute : node.attribute()) {
        if (attribute.has_g())
          if (Error failure = visitNodes(attribute.g().node()))
            return failure;
        for (const GraphProto &graph : attribute.graphs())
          if (Error failure = visitNodes(graph.node()))
            return failure;
      }
    }
    return Error::success();
  }

  const Structure &structure;
  SmallVector<StringRef> path;
  StringMap<bool> done;
};

} // namespace

StringRef canonicalDomain(StringRef domain) { return domain == "ai.onnx" ? "" : domain; }

std::string nodeLabel(const NodeProto &node, int index) {
  return node.name().empty() ? node.op_type() + "_" + std::to_string(index) : node.name();
}

std::string functionKey(StringRef domain, StringRef name, StringRef overload) {
  std::string key = canonicalDomain(domain).str();
  key += '\0';
  key += name;
  key += '\0';
  key += overload;
  return key;
}

Expected<OpsetMap>
readOpsets(const google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto> &imports) {
  OpsetMap opsets;
  for (const auto &import : imports) {
    StringRef domain = canonicalDomain(import.domain());
    std::string name = domain.empty() ? "ai.onnx" : domain.str();
    auto [known, isNew] = opsets.try_emplace(domain, import.version());
    if (!isNew)
      return createStringError("imports opset " + Twine(known->second) + " and opset " +
                               Twine(import.version()) + " of " + name);
    if (domain.empty() && import.version() < kOldestOpset)
      return createStringError("uses opset " + Twine(import.version()) +
                               " of ai.onnx, which does not exist");
    if (domain.empty() && import.version() > kNewestOpset)
      return createStringError("uses opset " + Twine(import.version()) +
                               " of ai.onnx, newer than " + Twine(kNewestOpset) +
                               ", the newest known");
  }
  return opsets;
}

Expected<Structure> checkStructure(const ::onnx::ModelProto &model) {
  if (!model.has_graph())
    return createStringError("not an ONNX model: it has no graph");
  if (model.ir_version() > ::onnx::IR_VERSION)
    return createStringError("has IR version " + Twine(model.ir_version()) + ", newer than " +
                             Twine(static_cast<int>(::onnx::IR_VERSION)) + ", the newest known");
  Structure structure;
  if (model.opset_import().empty()) {
    const NodeList &nodes = model.graph().node();
    return createStringError("imports no opset" +
                             (nodes.empty() ? std::string()
                                            : "; node \"" + nodeLabel(nodes[0], 0) + "\" (" +
                                                  nodes[0].op_type() + ") needs one"));
  }
  Expected<OpsetMap> opsets = readOpsets(model.opset_import());
  if (!opsets)
    return opsets.takeError();
  structure.opsets = std::move(*opsets);
  for (const FunctionProto &function : model.functions())
    if (!structure.functions
             .try_emplace(functionKey(function.domain(), function.name(), function.overload()),
                          &function)
             .second)
      return createStringError("function " + function.domain() + "::" + function.name() +
                               " is defined twice");
  Checker checker(structure);
  if (Error failure = checker.checkGraph(model.graph(), nullptr, ""))
    return std::move(failure);
  RecursionFinder recursion(structure);
  for (const FunctionProto &function : model.functions()) { // In order: the same error each time.
    if (Error failure = checker.checkFunction(function))
      return std::move(failure);
    auto entry = structure.functions.find(
        functionKey(function.domain(), function.name(), function.overload()));
    if (Error failure = recursion.visit(entry->getKey(), function))
      return std::move(failure);
  }
  return structure;
}

} // namespace sheaf::onnx
