// Reads what is to be compiled.
#ifndef SHEAF_TOOLS_SHARD_COMPILE_MODEL_H
#define SHEAF_TOOLS_SHARD_COMPILE_MODEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tools/shard-compile/request.h"

namespace sheaf::compile {

/// The module of an .onnx file, or of an .mlir file in the graph dialect. Null after an error, which
/// has been printed.
mlir::OwningOpRef<mlir::ModuleOp> loadModel(mlir::MLIRContext &context, const Request &request);

/// Writes the copy of the model that the request asks for, with the device configuration that the
/// passes have recorded. Fails after an error, which has been printed.
llvm::LogicalResult writeAnnotatedModel(mlir::ModuleOp module, const Request &request);

} // namespace sheaf::compile

#endif
