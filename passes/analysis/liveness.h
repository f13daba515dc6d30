// When each buffer of a program holds a value.
#ifndef SHEAF_PASSES_ANALYSIS_LIVENESS_H
#define SHEAF_PASSES_ANALYSIS_LIVENESS_H

#include "dialects/exec/exec.h"
#include "passes/analysis/arena_plan.h"

namespace sheaf {

/// The memory a buffer is a view of: an exec.buffer, an exec.get or an argument of the program.
mlir::Value memoryOf(mlir::Value buffer);

/// True when the op is an instruction: it reads and writes buffers.
bool isInstruction(mlir::Operation *op);
/// The buffers an instruction reads and writes.
mlir::OperandRange readBuffers(mlir::Operation *instruction);
mlir::OperandRange writtenBuffers(mlir::Operation *instruction);

/// Exact liveness of a program: steps are its instructions, in order.
struct Liveness {
  explicit Liveness(exec::ProgramOp program);

  llvm::SmallVector<mlir::Operation *> instructions;
  /// From the first instruction that touches the memory, or a view of it, to the last one that may run
  /// while some instruction does, on this or another stream. Memory that nothing touches has no entry.
  llvm::MapVector<mlir::Value, LiveRange> ranges;
};

} // namespace sheaf

#endif
