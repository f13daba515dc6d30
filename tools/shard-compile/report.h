// What shard-compile tells about the executable that it wrote.
#ifndef SHEAF_TOOLS_SHARD_COMPILE_REPORT_H
#define SHEAF_TOOLS_SHARD_COMPILE_REPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "passes/lowering/emit/executable_writer.h"
#include "tools/shard-compile/request.h"

namespace sheaf::compile {

/// The elements of parameters that a model has, counted before it is lowered.
int64_t countParameters(mlir::ModuleOp model);

/// Prints memory and file, as lines or as JSON.
void printReport(const Request &request, int64_t numParameters, mlir::ModuleOp module,
                 const lowering::ExecutableFacts &facts);

/// Prints the copies that are left.
void printRemarks(mlir::ModuleOp module);

} // namespace sheaf::compile

#endif
