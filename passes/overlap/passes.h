// The passes of this folder.
#ifndef SHEAF_PASSES_OVERLAP_PASSES_H
#define SHEAF_PASSES_OVERLAP_PASSES_H

#include "dialects/dist/dist.h"
#include "dialects/graph/graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace sheaf::overlap {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/overlap/passes.h.inc"

} // namespace sheaf::overlap

#endif
