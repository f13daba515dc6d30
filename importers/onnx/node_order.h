// The order in which the nodes of a graph can be imported.
#ifndef SHEAF_IMPORTERS_ONNX_NODE_ORDER_H
#define SHEAF_IMPORTERS_ONNX_NODE_ORDER_H

#include "importers/onnx/structure.h"

namespace sheaf::onnx {

/// Indices of `nodes` such that values are defined before use, also by sub-graphs that capture them;
/// as near to the file's order as that allows. Errors: a cycle, naming its nodes.
llvm::Expected<llvm::SmallVector<int>> sortNodes(const NodeList &nodes);

} // namespace sheaf::onnx

#endif
