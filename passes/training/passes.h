// The passes of this folder.
#ifndef SHEAF_PASSES_TRAINING_PASSES_H
#define SHEAF_PASSES_TRAINING_PASSES_H

#include "dialects/dist/dist.h"
#include "dialects/graph/graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace sheaf::training {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/training/passes.h.inc"

} // namespace sheaf::training

#endif
