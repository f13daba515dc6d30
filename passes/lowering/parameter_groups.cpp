// Reads from calls which parameters they move.
#include "passes/lowering/parameter_groups.h"

#include "dialects/exec/exec.h"
#include "passes/analysis/byte_count.h"
#include "passes/lowering/whole_program.h"

using namespace mlir;

namespace sheaf::lowering {

static int64_t bytesOf(OperandRange buffers) {
  int64_t bytes = 0;
  for (Value buffer : buffers)
    bytes = addBytes(bytes, cast<exec::BufferType>(buffer.getType()).getBytes());
  return bytes;
}

/// Adds the groups of `times` runs of `program` to those of the whole called `name`.
static void addGroups(exec::ProgramOp program, int64_t times, StringRef name,
                      std::vector<ParameterGroup> &groups) {
  for (auto call : program.getBlock().getOps<exec::CallOp>()) {
    auto names = call->getAttrOfType<ArrayAttr>(exec::kMovedParameters);
    if (!names)
      continue;
    // Of what is cut and what is whole the whole is the full buffer.
    ParameterGroup own{name, call.getCallee(), names,
                       std::max(bytesOf(call.getIns()), bytesOf(call.getOuts())), times};
    auto known = llvm::find_if(groups, [&](const ParameterGroup &group) {
      return group.program == own.program && group.collective == own.collective &&
             group.parameters == own.parameters && group.bytes == own.bytes;
    });
    if (known == groups.end())
      groups.push_back(own);
    else
      known->calls += times;
  }
}

std::vector<ParameterGroup> parameterGroups(ModuleOp module) {
  std::vector<ParameterGroup> groups;
  for (const WholeProgram &whole : WholeProgram::all(module))
    for (ProgramRun run : whole.runs())
      addGroups(run.program, run.times, whole.name(), groups);
  return groups;
}

} // namespace sheaf::lowering
