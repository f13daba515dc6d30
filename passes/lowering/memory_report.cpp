// Adds up the memory of a planned module.
#include "passes/lowering/memory_report.h"

#include "passes/analysis/byte_count.h"
#include "passes/lowering/bufferize/variable_table.h"

using namespace mlir;

namespace sheaf::lowering {

static int64_t add(int64_t sum, exec::BufferType type) { return addBytes(sum, type.getBytes()); }

int64_t MemoryReport::bytesOutsideArena(exec::ProgramOp program) {
  int64_t sum = 0;
  for (Type type : program.getBlock().getArgumentTypes())
    sum = add(sum, cast<exec::BufferType>(type));
  // What only "prepare" reads stays in its file, which is mapped, not loaded.
  for (auto variable : program->getParentOfType<ModuleOp>().getOps<exec::VariableOp>())
    if (!variable.getIsPrepareOnly())
      sum = add(sum, cast<exec::BufferType>(variable.getType()));
  return sum;
}

MemoryReport::MemoryReport(ModuleOp module) {
  for (auto variable : module.getOps<exec::VariableOp>())
    if (!variable.getIsPrepareOnly())
      variableBytes = add(variableBytes, cast<exec::BufferType>(variable.getType()));
  for (auto program : module.getOps<exec::ProgramOp>()) {
    ArrayRef<int64_t> arenas = program.getArenaBytes().value_or(ArrayRef<int64_t>());
    int64_t arena = arenas.empty() ? 0 : arenas.front();
    peakBytes = std::max(peakBytes, addBytes(arena, bytesOutsideArena(program)));
    if (program.getSymName() == kPrepare)
      continue;
    arenaBytes = arena;
    for (Type type : program.getBlock().getArgumentTypes())
      signatureBytes = add(signatureBytes, cast<exec::BufferType>(type));
  }
}

} // namespace sheaf::lowering
