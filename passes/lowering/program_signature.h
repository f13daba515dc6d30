// What of a function are the inputs and outputs of its program, what are variables, and how they are called.
#ifndef SHEAF_PASSES_LOWERING_PROGRAM_SIGNATURE_H
#define SHEAF_PASSES_LOWERING_PROGRAM_SIGNATURE_H

#include "passes/lowering/bufferize/variable_table.h"

namespace sheaf::lowering {

/// The name of an input or output of `function` for who runs it: what the model calls it, or its place.
mlir::StringAttr inputName(mlir::func::FuncOp function, unsigned argument);
mlir::StringAttr outputName(mlir::func::FuncOp function, unsigned result);
/// Whether an argument, or a result, is a variable: no input, no output.
bool isVariableArgument(mlir::func::FuncOp function, unsigned argument);
bool isVariableResult(mlir::func::FuncOp function, unsigned result);

} // namespace sheaf::lowering

#endif
