// Writes a planned module as an executable file.
#ifndef SHEAF_PASSES_LOWERING_EMIT_EXECUTABLE_WRITER_H
#define SHEAF_PASSES_LOWERING_EMIT_EXECUTABLE_WRITER_H

#include "mlir/IR/BuiltinOps.h"
#include "passes/lowering/kernel/host_cpu.h"

namespace sheaf::lowering {

struct ExecutableOptions {
  /// The file to write. It appears whole or not at all.
  std::string path;
  /// The model it comes from, for messages.
  std::string model;
  HostCpu cpu;
};

/// What was written.
struct ExecutableFacts {
  int64_t fileBytes = 0;
  std::string sha256; ///< hexadecimal
  int64_t numKernels = 0;
  std::string cpu;
};

/// Compiles the kernels and writes the file. Errors: emitted at the op they concern, or at the
/// module for those of the file system.
mlir::FailureOr<ExecutableFacts> writeExecutable(mlir::ModuleOp module,
                                                 const ExecutableOptions &options);

} // namespace sheaf::lowering

#endif
