// Reads from calls which parameters they move.
#include "passes/lowering/parameter_groups.h"

#include "dialects/exec/exec.h"
#include "passes/analysis/byte_count.h"

using namespace mlir;

namespace sheaf::lowering {

static int64_t bytesOf(OperandRange buffers) {
  int64_t bytes = 0;
  for (Value buffer : buffers)
    bytes = addBytes(bytes, cast<exec::BufferType>(buffer.getType()).getBytes());
  return bytes;
}

std::vector<ParameterGroup> parameterGroups(ModuleOp module) {
  std::vector<ParameterGroup> groups;
  for (auto program : module.getOps<exec::ProgramOp>())
    for (auto call : program.getBlock().getOps<exec::CallOp>()) {
      auto names = call->getAttrOfType<ArrayAttr>(exec::kMovedParameters);
      if (!names)
        continue;
      // Of what is cut and what is whole the whole is the full buffer.
      ParameterGroup own{program.getSymName(), call.getCallee(), names,
                         std::max(bytesOf(call.getIns()), bytesOf(call.getOuts())), 1};
      auto known = llvm::find_if(groups, [&](const ParameterGroup &group) {
        return group.program == own.program && group.collective == own.collective &&
               group.parameters == own.parameters && group.bytes == own.bytes;
      });
      if (known == groups.end())
        groups.push_back(own);
      else
        ++known->calls;
    }
  return groups;
}

} // namespace sheaf::lowering
