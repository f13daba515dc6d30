// One node of a model, as an operator's import function sees it.
#ifndef SHEAF_IMPORTERS_ONNX_NODE_H
#define SHEAF_IMPORTERS_ONNX_NODE_H

#include "importers/onnx/graph_builder.h"
#include "importers/onnx/onnx.pb.h"
#include "importers/onnx/op_table.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace sheaf::onnx {

/// What a node needs of the import around it.
class NodeHost {
public:
  virtual ~NodeHost() = default;
  /// Imports a sub-graph of the node with `arguments` for its inputs; nothing on failure, which has
  /// been reported.
  virtual std::optional<llvm::SmallVector<mlir::Value>>
  importSubgraph(const ::onnx::GraphProto &graph, mlir::ValueRange arguments) = 0;
  /// The dense value of a constant, also of a parameter or of an input with a default, which then
  /// can't be fed any more.
  virtual std::optional<mlir::DenseElementsAttr> constantOf(mlir::Value value) = 0;
  /// The value of a tensor attribute.
  virtual llvm::Expected<mlir::TypedAttr> decode(const ::onnx::TensorProto &tensor) = 0;
};

using AttributeMap = llvm::StringMap<const ::onnx::AttributeProto *>;

/// A node with its operands and attributes, and the builder of its ops. Accessors check types and fail
/// the node. An attribute that the import function does not read is an error, as ignoring it might be
/// silently wrong; so the function reads all that its operator has.
class Node : public GraphBuilder {
public:
  Node(const ::onnx::NodeProto &proto, int64_t version, const AttributeMap &attributes,
       llvm::ArrayRef<mlir::Value> inputs, GraphBuilder builder, NodeHost &host)
      : GraphBuilder(std::move(builder)), proto(proto), version(version), attributes(attributes),
        inputs(inputs), host(host), outputs(proto.output_size()) {}

  llvm::StringRef opType() const { return proto.op_type(); }
  /// The opset version of the node's domain.
  int64_t opset() const { return version; }

  // Inputs.
  size_t numInputs() const { return inputs.size(); }
  bool has(size_t index) const { return index < inputs.size() && inputs[index]; }
  /// A required input: fails when it is absent.
  mlir::Value input(size_t index);
  /// Null when absent.
  mlir::Value optional(size_t index) const { return has(index) ? inputs[index] : mlir::Value(); }
  /// All inputs from `first` on, each present.
  llvm::SmallVector<mlir::Value> variadic(size_t first = 0);
  /// Fails unless the number of inputs is in the range.
  void expectInputs(size_t least, size_t most);

  // Constant inputs, whose values decide about shapes; they fail when they are data. `what` is the
  // operand's name in ONNX's documentation.
  llvm::SmallVector<int64_t> constantInts(size_t index, llvm::StringRef what);
  llvm::SmallVector<double> constantFloats(size_t index, llvm::StringRef what);
  std::optional<int64_t> constantInt(size_t index, llvm::StringRef what);
  /// The same for optional inputs; `fallback` when absent.
  int64_t constantIntOr(size_t index, llvm::StringRef what, int64_t fallback);
  std::optional<mlir::DenseElementsAttr> constantValue(mlir::Value value) {
    return host.constantOf(value);
  }

  // Attributes.
  bool hasAttribute(llvm::StringRef name);
  int64_t integer(llvm::StringRef name, int64_t fallback);
  double real(llvm::StringRef name, double fallback);
  std::string string(llvm::StringRef name, llvm::StringRef fallback);
  llvm::SmallVector<int64_t> integers(llvm::StringRef name, llvm::ArrayRef<int64_t> fallback = {});
  llvm::SmallVector<double> reals(llvm::StringRef name);
  llvm::SmallVector<std::string> strings(llvm::StringRef name);
  std::optional<int64_t> maybeInteger(llvm::StringRef name);
  int64_t requiredInteger(llvm::StringRef name);
  /// Null when absent.
  const ::onnx::TensorProto *tensor(llvm::StringRef name);
  const ::onnx::GraphProto *subgraph(llvm::StringRef name);
  /// Unknown attributes give warnings instead of errors.
  void warnOfUnknownAttributes() { areUnknownsErrors = false; }
  /// Marks an attribute as known and without effect on the result.
  void ignore(llvm::StringRef name);
  /// An element type attribute; null when absent.
  mlir::Type elementTypeAttribute(llvm::StringRef name);

  /// A dim index, counted from the end when negative: checked against `rank`.
  int64_t axis(int64_t value, int64_t rank);
  llvm::SmallVector<int64_t> axes(llvm::ArrayRef<int64_t> values, int64_t rank);
  /// One of `choices`, or a failure.
  bool expectChoice(llvm::StringRef name, llvm::StringRef value,
                    llvm::ArrayRef<llvm::StringRef> choices);

  // Outputs.
  size_t numOutputs() const { return outputs.size(); }
  bool wants(size_t index) const {
    return index < outputs.size() && !proto.output(static_cast<int>(index)).empty();
  }
  void output(size_t index, mlir::Value value) {
    if (index < outputs.size())
      outputs[index] = value;
  }
  mlir::Value result(size_t index) const { return outputs[index]; }

  std::optional<llvm::SmallVector<mlir::Value>> importSubgraph(const ::onnx::GraphProto &graph,
                                                               mlir::ValueRange arguments);
  llvm::Expected<mlir::TypedAttr> decode(const ::onnx::TensorProto &tensor) {
    return host.decode(tensor);
  }

  /// Fails when an attribute was never read or a wanted output is not set.
  void checkComplete();

private:
  const ::onnx::AttributeProto *find(llvm::StringRef name,
                                     ::onnx::AttributeProto::AttributeType type);

  const ::onnx::NodeProto &proto;
  int64_t version;
  const AttributeMap &attributes;
  llvm::ArrayRef<mlir::Value> inputs;
  NodeHost &host;
  llvm::SmallVector<mlir::Value> outputs;
  llvm::StringMap<bool> read;
  bool areUnknownsErrors = true;
};

/// The elements of a dense integer or boolean constant.
llvm::SmallVector<int64_t> intValues(mlir::DenseElementsAttr value);
/// The elements of any dense constant as doubles.
llvm::SmallVector<double> realValues(mlir::DenseElementsAttr value);

} // namespace sheaf::onnx

#endif
