// How much memory a planned module needs, and for what, by the rules of runtime/abi/planned_memory.h.
#ifndef SHEAF_PASSES_LOWERING_MEMORY_REPORT_H
#define SHEAF_PASSES_LOWERING_MEMORY_REPORT_H

#include "dialects/exec/exec.h"
#include "mlir/IR/BuiltinOps.h"

namespace sheaf::lowering {

/// What a program needs besides its arena: variables, inputs and outputs, copies of unaligned weights.
int64_t bytesOutsideArena(exec::ProgramOp program);

/// The planned memory of a program that has been planned.
int64_t plannedBytes(exec::ProgramOp program);

/// The program that reports are about: the first that users run. Null in a module without one.
exec::ProgramOp mainProgram(mlir::ModuleOp module);

/// Bytes on one rank, by what they are for. Sums saturate.
struct MemoryReport {
  explicit MemoryReport(mlir::ModuleOp module);

  /// Variables that stay after "prepare" has run, but states.
  int64_t variableBytes = 0;
  /// States.
  int64_t stateBytes = 0;
  /// Inputs and outputs of the main program.
  int64_t signatureBytes = 0;
  /// The arena of the main program.
  int64_t arenaBytes = 0;
  /// The most that is allocated at one time, while some program runs.
  int64_t peakBytes = 0;
};

} // namespace sheaf::lowering

#endif
