// What users run by one name: a program, or a schedule of several.
#ifndef SHEAF_PASSES_LOWERING_WHOLE_PROGRAM_H
#define SHEAF_PASSES_LOWERING_WHOLE_PROGRAM_H

#include "dialects/exec/exec.h"
#include "mlir/IR/BuiltinOps.h"

namespace sheaf::lowering {

/// A program, and how often it runs in a row.
struct ProgramRun {
  exec::ProgramOp program;
  int64_t times = 1;
};

/// An exec.program that is no part of another, or an exec.schedule of programs on buffers.
class WholeProgram {
public:
  WholeProgram(exec::ProgramOp program);
  WholeProgram(exec::ScheduleOp schedule);

  /// Those of a module, in order; "prepare" is one.
  static std::vector<WholeProgram> all(mlir::ModuleOp module);
  /// That runs `program`; the one with the largest signature where several do.
  static WholeProgram of(exec::ProgramOp program);

  mlir::Operation *getOperation() const { return op; }
  llvm::StringRef name() const;
  /// Programs, in the order in which a run of the whole runs them.
  llvm::ArrayRef<ProgramRun> runs() const LLVM_LIFETIME_BOUND { return runList; }
  /// In the order of the whole's names, each as the first part that has it does.
  llvm::ArrayRef<mlir::BlockArgument> inputs() const LLVM_LIFETIME_BOUND { return inputBuffers; }
  llvm::ArrayRef<mlir::BlockArgument> outputs() const LLVM_LIFETIME_BOUND { return outputBuffers; }
  std::optional<int64_t> microBatches() const;

private:
  mlir::Operation *op;
  llvm::SmallVector<ProgramRun> runList;
  llvm::SmallVector<mlir::BlockArgument> inputBuffers, outputBuffers;
};

/// The name that an argument of a program has for who runs it.
mlir::StringAttr signatureName(mlir::BlockArgument argument);

/// What the inputs and outputs of a program take in memory, by the rules of runtime/abi/planned_memory.h.
int64_t signatureBytes(const WholeProgram &program);

} // namespace sheaf::lowering

#endif
