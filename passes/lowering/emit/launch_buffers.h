// Where the buffers of instructions lie, as kernels and files tell it.
#ifndef SHEAF_PASSES_LOWERING_EMIT_LAUNCH_BUFFERS_H
#define SHEAF_PASSES_LOWERING_EMIT_LAUNCH_BUFFERS_H

#include "dialects/exec/exec.h"
#include "passes/lowering/kernel/kernel_compiler.h"

namespace sheaf::lowering {

/// Elements from the start of a buffer's memory to its first element.
int64_t offsetInMemory(mlir::Value buffer);

/// Strides, alignments and overwritten operands of one launch.
ClusterBuffers launchBuffers(exec::LaunchOp launch);

} // namespace sheaf::lowering

#endif
