// What can be said of a model without knowing its operators: names, scopes, order, recursion.
#ifndef SHEAF_IMPORTERS_ONNX_STRUCTURE_H
#define SHEAF_IMPORTERS_ONNX_STRUCTURE_H

#include "importers/onnx/onnx.pb.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace sheaf::onnx {

using NodeList = google::protobuf::RepeatedPtrField<::onnx::NodeProto>;
using OpsetMap = llvm::StringMap<int64_t>;

/// "ai.onnx" and "" are one domain; this gives "".
llvm::StringRef canonicalDomain(llvm::StringRef domain);

/// How messages call a node: its name, else its type and place in the graph.
std::string nodeLabel(const ::onnx::NodeProto &node, int index);

/// The key of a model-local function: domain, name and overload.
std::string functionKey(llvm::StringRef domain, llvm::StringRef name, llvm::StringRef overload);

/// What `checkStructure` learned.
struct Structure {
  /// An order of each graph's and function body's nodes in which values are defined before use.
  llvm::DenseMap<const NodeList *, llvm::SmallVector<int>> order;
  llvm::StringMap<const ::onnx::FunctionProto *> functions;
  OpsetMap opsets;
};

/// Checks that names are defined once (a sub-graph may not redefine an outer name) and before use in
/// some order, that no function calls itself, and that operator sets are imported and known.
/// Errors name the nodes.
llvm::Expected<Structure> checkStructure(const ::onnx::ModelProto &model);

/// The operator sets that a model or function imports. Errors: a domain twice, a version out of range.
llvm::Expected<OpsetMap>
readOpsets(const google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto> &imports);

inline constexpr int64_t kOldestOpset = 1, kNewestOpset = 28;

} // namespace sheaf::onnx

#endif
