// Adds up the memory of a planned module.
#include "passes/lowering/memory_report.h"

#include "passes/analysis/byte_count.h"
#include "passes/analysis/liveness.h"
#include "passes/lowering/bufferize/variable_table.h"
#include "runtime/abi/planned_memory.h"

using namespace mlir;

namespace sheaf::lowering {

static int64_t add(int64_t sum, Type buffer) {
  return addBytes(sum, abi::blockBytes(cast<exec::BufferType>(buffer).getBytes()));
}

static int64_t keptBytes(ModuleOp module, function_ref<bool(exec::Role)> counts) {
  int64_t sum = 0;
  for (auto variable : module.getOps<exec::VariableOp>())
    if (!variable.getIsPrepareOnly() && counts(variable.getRole()))
      sum = add(sum, variable.getType());
  return sum;
}

/// Whether a rank holds a part of the variable only.
static bool isCut(exec::VariableOp variable) {
  return variable.getShard() && !variable.getShard()->getCuts().empty();
}

/// True when an instruction of "prepare" that reads `variable` reads a copy.
static bool isStaged(exec::VariableOp variable) {
  auto range = dyn_cast_or_null<exec::FileRangeAttr>(variable.getSource().value_or(Attribute()));
  return variable.getIsPrepareOnly() && range &&
         !abi::isUsedInPlace(range.getOffset(), range.getBytes(), isCut(variable));
}

/// The most that the copies of one instruction's operands take.
static int64_t stagedBytes(exec::ProgramOp program) {
  SymbolTable symbols(program->getParentOfType<ModuleOp>());
  int64_t most = 0;
  for (Operation &op : program.getBlock()) {
    if (!isInstruction(&op))
      continue;
    llvm::SmallPtrSet<Operation *, 4> staged;
    int64_t sum = 0;
    for (Value buffer : readBuffers(&op))
      if (auto get = memoryOf(buffer).getDefiningOp<exec::GetOp>())
        if (auto variable = symbols.lookup<exec::VariableOp>(get.getVariable());
            isStaged(variable) && staged.insert(variable).second)
          sum = add(sum, variable.getType());
    most = std::max(most, sum);
  }
  return most;
}

int64_t bytesOutsideArena(const WholeProgram &program) {
  auto module = program.getOperation()->getParentOfType<ModuleOp>();
  int64_t sum =
      addBytes(keptBytes(module, [](exec::Role) { return true; }), signatureBytes(program));
  return program.name() == kPrepare ? addBytes(sum, stagedBytes(program.runs().front().program))
                                    : sum;
}

SmallVector<int64_t> arenasOf(const WholeProgram &program) {
  SmallVector<int64_t> arenas;
  for (ProgramRun run : program.runs())
    for (auto [space, bytes] :
         llvm::enumerate(run.program.getArenaBytes().value_or(ArrayRef<int64_t>()))) {
      arenas.resize(std::max(arenas.size(), space + 1));
      arenas[space] = std::max(arenas[space], bytes);
    }
  return arenas;
}

int64_t plannedBytes(const WholeProgram &program) {
  int64_t sum = bytesOutsideArena(program);
  for (int64_t arena : arenasOf(program))
    sum = addBytes(sum, arena);
  return sum;
}

std::optional<WholeProgram> mainProgram(ModuleOp module) {
  for (const WholeProgram &program : WholeProgram::all(module))
    if (program.name() != kPrepare)
      return program;
  return std::nullopt;
}

MemoryReport::MemoryReport(ModuleOp module) {
  auto bytesOf = [&](exec::Role wanted) {
    return keptBytes(module, [&](exec::Role role) { return role == wanted; });
  };
  stateBytes = bytesOf(exec::Role::state);
  carriedBytes = bytesOf(exec::Role::carried);
  variableBytes = addBytes(bytesOf(exec::Role::parameter), bytesOf(exec::Role::other));
  for (const WholeProgram &program : WholeProgram::all(module))
    peakBytes = std::max(peakBytes, plannedBytes(program));
  if (std::optional<WholeProgram> program = mainProgram(module)) {
    signatureBytes = lowering::signatureBytes(*program);
    arenaBytes = plannedBytes(*program) - bytesOutsideArena(*program);
  }
}

} // namespace sheaf::lowering
