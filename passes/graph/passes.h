// The passes of this folder.
#ifndef SHEAF_PASSES_GRAPH_PASSES_H
#define SHEAF_PASSES_GRAPH_PASSES_H

#include "dialects/graph/graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace sheaf::graph {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/graph/passes.h.inc"

} // namespace sheaf::graph

#endif
