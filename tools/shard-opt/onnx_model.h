// ONNX models as input of shard-opt.
#ifndef SHEAF_TOOLS_SHARD_OPT_ONNX_MODEL_H
#define SHEAF_TOOLS_SHARD_OPT_ONNX_MODEL_H

#include "mlir/IR/DialectRegistry.h"

namespace sheaf {

/// Imports the model at `path` with the bindings of the command line, runs the passes it asks for and
/// prints the module to `outputPath`. Returns the exit code: 0 done, 1 after an error, which has been
/// printed.
int runOnOnnxModel(llvm::StringRef path, llvm::StringRef outputPath,
                   mlir::DialectRegistry &registry);

} // namespace sheaf

#endif
