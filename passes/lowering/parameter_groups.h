// Which parameters travel together.
#ifndef SHEAF_PASSES_LOWERING_PARAMETER_GROUPS_H
#define SHEAF_PASSES_LOWERING_PARAMETER_GROUPS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

namespace sheaf::lowering {

/// The parameters, or gradients, that one collective moves.
struct ParameterGroup {
  llvm::StringRef program;
  llvm::StringRef collective; ///< "all_gather"
  mlir::ArrayAttr parameters; ///< their names, in the order of the tensors
  int64_t bytes;              ///< of the full tensors, as ledgers have payload
  int64_t calls;              ///< in one run of the program
};

/// The groups of all programs of a lowered module, in the order of their first calls.
std::vector<ParameterGroup> parameterGroups(mlir::ModuleOp module);

} // namespace sheaf::lowering

#endif
