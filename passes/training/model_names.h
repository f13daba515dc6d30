// The arguments and results of a model's function, by the names that the model file gives them.
#ifndef SHEAF_PASSES_TRAINING_MODEL_NAMES_H
#define SHEAF_PASSES_TRAINING_MODEL_NAMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>
#include <string>

namespace sheaf::training {

/// The name of an argument, whatever its role, or of a result; empty without one.
llvm::StringRef argumentName(mlir::func::FuncOp function, unsigned index);
llvm::StringRef outputName(mlir::func::FuncOp function, unsigned index);

/// The argument or result of that name, else the one whose index `wanted` is.
std::optional<unsigned> findArgument(mlir::func::FuncOp function, llvm::StringRef wanted);
std::optional<unsigned> findOutput(mlir::func::FuncOp function, llvm::StringRef wanted);
/// The input of that name.
std::optional<unsigned> findInput(mlir::func::FuncOp function, llvm::StringRef wanted);

/// Names, or indices where there are none, as messages list them.
std::string listArguments(mlir::func::FuncOp function);
std::string listInputs(mlir::func::FuncOp function);
std::string listParameters(mlir::func::FuncOp function);
std::string listOutputs(mlir::func::FuncOp function);

/// Which arguments are parameters that one of the globs matches. Errors: at `model`, about `what`, a glob that is none
/// or matches nothing.
mlir::FailureOr<llvm::SmallVector<bool>>
matchParameters(mlir::func::FuncOp model, llvm::ArrayRef<std::string> globs, llvm::StringRef what);

} // namespace sheaf::training

#endif
