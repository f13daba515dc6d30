// The passes of this folder.
#ifndef SHEAF_PASSES_SHARDING_PASSES_H
#define SHEAF_PASSES_SHARDING_PASSES_H

#include "dialects/dist/dist.h"
#include "dialects/graph/graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace sheaf::sharding {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/sharding/passes.h.inc"

/// The mesh that a function's arguments and results are sharded over; null when they are not.
mlir::FlatSymbolRefAttr meshOf(mlir::func::FuncOp function);

/// Gives a module without meshes the mesh `@mesh`, and function arguments an open sharding over it.
void giveMesh(mlir::ModuleOp module, dist::MeshAttr mesh);

} // namespace sheaf::sharding

#endif
