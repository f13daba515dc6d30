// Walks a model and calls the operators' import functions.
#ifndef SHEAF_IMPORTERS_ONNX_IMPORTER_H
#define SHEAF_IMPORTERS_ONNX_IMPORTER_H

#include "importers/onnx/arguments.h"
#include "importers/onnx/graph_builder.h"
#include "importers/onnx/node.h"
#include "importers/onnx/structure.h"
#include "llvm/ADT/StringSet.h"

namespace sheaf::onnx {

/// The values of one graph by name; a null value is an absent optional or the result of a node that
/// failed.
struct Scope {
  const Scope *parent = nullptr;
  llvm::StringMap<mlir::Value> values;
  /// Inputs of a function that its call left out.
  llvm::StringSet<> absent;

  /// None when the name is unknown.
  std::optional<mlir::Value> lookup(llvm::StringRef name) const;
  bool isAbsent(llvm::StringRef name) const;
};

/// What the nodes of one graph or function body share.
struct Frame {
  Scope *scope;
  const OpsetMap *opsets;
  /// The attributes of the call, for a function's body.
  const AttributeMap *callAttributes;
  /// Goes before node names: the calls on the way here, "block/attention/".
  std::string prefix;
  int depth = 0;
};

/// A node that can't be imported: how messages name it, its operator, and why.
struct NodeFailure {
  std::string node, op, reason;
};

class Importer {
public:
  Importer(mlir::OpBuilder &builder, ModelFile &file, const Structure &structure,
           Arguments &arguments, BuildState &state)
      : builder(builder), file(file), structure(structure), arguments(arguments), state(state) {}

  /// Imports the main graph at the builder's place; the values of its outputs, null where a node
  /// failed.
  llvm::Expected<llvm::SmallVector<mlir::Value>> run();

  const std::vector<NodeFailure> &failures() const { return nodeFailures; }

  /// The shape of a value of the main graph.
  std::optional<llvm::ArrayRef<int64_t>> shapeOf(llvm::StringRef name) const;

private:
  friend class FrameHost;

  void importNodes(const NodeList &nodes, const Frame &frame);
  void importNode(const ::onnx::NodeProto &node, int index, const Frame &frame);
  void callFunction(const ::onnx::FunctionProto &function, const ::onnx::NodeProto &node,
                    const std::string &label, llvm::ArrayRef<mlir::Value> inputs,
                    const AttributeMap &attributes, const Frame &frame);
  llvm::Error defineInitializers(const ::onnx::GraphProto &graph, Scope &scope);
  std::optional<llvm::SmallVector<mlir::Value>> importSubgraph(const ::onnx::GraphProto &graph,
                                                               mlir::ValueRange inputs,
                                                               const Frame &outer,
                                                               const std::string &label);
  /// Notes in locations which tensors of the main graph values are.
  void nameTensors(const NodeList &nodes);
  void report(const ::onnx::NodeProto &node, const std::string &label, int64_t version,
              llvm::StringRef reason);

  mlir::OpBuilder &builder;
  ModelFile &file;
  const Structure &structure;
  Arguments &arguments;
  BuildState &state;
  Scope mainScope;
  std::vector<NodeFailure> nodeFailures;
  llvm::StringMap<bool> reported;
};

} // namespace sheaf::onnx

#endif
