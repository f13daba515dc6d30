// What numbers options may be: those that arithmetic of f32 can do something with.
#ifndef SHEAF_PASSES_TRAINING_OPTION_RANGE_H
#define SHEAF_PASSES_TRAINING_OPTION_RANGE_H

#include "mlir/IR/Diagnostics.h"

namespace sheaf::training {

/// Errors: through `emitError`, with the option's name: a value that is negative, or no number of f32.
llvm::LogicalResult checkSize(llvm::StringRef option, double value,
                              llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// Errors: through `emitError`, with the option's name: a value outside [0, 1).
llvm::LogicalResult checkDecay(llvm::StringRef option, double value,
                               llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace sheaf::training

#endif
