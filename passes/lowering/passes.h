// The passes of the lowering theme, and their registration.
#ifndef SHEAF_PASSES_LOWERING_PASSES_H
#define SHEAF_PASSES_LOWERING_PASSES_H

#include "dialects/exec/exec.h"
#include "dialects/graph/graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "passes/lowering/device.h"

namespace sheaf::lowering {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/lowering/passes.h.inc"

} // namespace sheaf::lowering

#endif
