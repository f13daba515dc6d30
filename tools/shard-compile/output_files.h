// Keeps what shard-compile writes from replacing what it, or its executable, reads.
#ifndef SHEAF_TOOLS_SHARD_COMPILE_OUTPUT_FILES_H
#define SHEAF_TOOLS_SHARD_COMPILE_OUTPUT_FILES_H

#include "mlir/IR/BuiltinOps.h"
#include "tools/shard-compile/request.h"

namespace sheaf::compile {

/// Errors: a file that is to be written is a device or folder, the other one that is written, the job, the model of
/// `module`, or a file that holds its weights, constants or rules, under whatever name.
llvm::Error checkOutputFiles(const Request &request, mlir::ModuleOp module);

} // namespace sheaf::compile

#endif
