// What is wrong with a request, or could be better, for people to read.
#ifndef SHEAF_TOOLS_SHARD_COMPILE_DIAGNOSTICS_H
#define SHEAF_TOOLS_SHARD_COMPILE_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

namespace sheaf::compile {

/// Prints a diagnostic and its notes, each with the user's node where there is one, else the place in the text. `model`
/// is the path of the model.
void printDiagnostic(const mlir::Diagnostic &diagnostic, llvm::StringRef model);

} // namespace sheaf::compile

#endif
