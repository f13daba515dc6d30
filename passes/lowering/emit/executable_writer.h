// Writes a planned module as an executable file.
#ifndef SHEAF_PASSES_LOWERING_EMIT_EXECUTABLE_WRITER_H
#define SHEAF_PASSES_LOWERING_EMIT_EXECUTABLE_WRITER_H

#include "mlir/IR/BuiltinOps.h"
#include "passes/lowering/kernel/kernel_target.h"

namespace sheaf::lowering {

struct ExecutableOptions {
  /// The file to write. It appears whole or not at all.
  std::string path;
  /// The model it comes from, for messages.
  std::string model;
  KernelTarget target;
  /// An executable of the same model for one rank, as `serializeExecutable` gives it, to be put into
  /// the file; may be empty.
  llvm::ArrayRef<uint8_t> reference;
};

/// What was written.
struct ExecutableFacts {
  int64_t fileBytes = 0;
  std::string sha256; ///< hexadecimal
  int64_t numKernels = 0;
  std::string machine; ///< the processor, or the chips of GPUs that there is code for
};

/// The bytes of an executable and what is in them.
struct SerializedExecutable {
  std::vector<uint8_t> bytes;
  ExecutableFacts facts;
};

/// Compiles the kernels and puts the executable together. Errors: emitted at the op they concern, or
/// at the module.
mlir::FailureOr<SerializedExecutable> serializeExecutable(mlir::ModuleOp module,
                                                          const ExecutableOptions &options);

/// Serializes the module and writes the file. Errors: those of serializing, and at the module those of
/// the file system.
mlir::FailureOr<ExecutableFacts> writeExecutable(mlir::ModuleOp module,
                                                 const ExecutableOptions &options);

} // namespace sheaf::lowering

#endif
