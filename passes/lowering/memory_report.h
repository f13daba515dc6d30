// How much memory a planned module needs, and for what, by the rules of runtime/abi/planned_memory.h.
#ifndef SHEAF_PASSES_LOWERING_MEMORY_REPORT_H
#define SHEAF_PASSES_LOWERING_MEMORY_REPORT_H

#include "passes/lowering/whole_program.h"

namespace sheaf::lowering {

/// What a program needs besides its arena: variables, inputs and outputs, copies of unaligned weights.
int64_t bytesOutsideArena(const WholeProgram &program);

/// The arenas of a program that has been planned: one serves all its parts.
llvm::SmallVector<int64_t> arenasOf(const WholeProgram &program);

/// The planned memory of a program that has been planned.
int64_t plannedBytes(const WholeProgram &program);

/// The program that reports are about: the first that users run. None in a module without one.
std::optional<WholeProgram> mainProgram(mlir::ModuleOp module);

/// Bytes on one rank, by what they are for. Sums saturate.
struct MemoryReport {
  explicit MemoryReport(mlir::ModuleOp module);

  /// Variables that stay after "prepare" has run, but states and what is carried.
  int64_t variableBytes = 0;
  /// States.
  int64_t stateBytes = 0;
  /// What parts of a program carry to others: of a training step sums of gradients, mostly.
  int64_t carriedBytes = 0;
  /// Inputs and outputs of the main program.
  int64_t signatureBytes = 0;
  /// The arena of the main program.
  int64_t arenaBytes = 0;
  /// The most that is allocated at one time, while some program runs.
  int64_t peakBytes = 0;
};

} // namespace sheaf::lowering

#endif
