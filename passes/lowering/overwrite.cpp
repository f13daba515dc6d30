// Finds what instructions may overwrite: calls say so in tables, kernels by their code.
#include "passes/lowering/overwrite.h"

#include "passes/analysis/liveness.h"
#include "passes/lowering/call_rules.h"
#include "passes/lowering/emit/launch_buffers.h"

using namespace mlir;

namespace sheaf::lowering {

// Which results may overwrite which operands does not depend on the processor or chip.
OverwriteRules::OverwriteRules(ModuleOp module, Device device)
    : compiler(KernelTarget{device, {}, {}}.createCompiler(module.getContext())), symbols(module) {}

bool OverwriteRules::mayOverwrite(Operation *instruction, unsigned in, unsigned out) {
  Value read = readBuffers(instruction)[in];
  auto sharesMemory = [&](Value operand) { return memoryOf(operand) == memoryOf(read); };
  if (llvm::count_if(instruction->getOperands(), sharesMemory) != 1)
    return false;
  if (auto call = dyn_cast<exec::CallOp>(instruction))
    return overwritableOperand(call, out) == in;
  auto launch = cast<exec::LaunchOp>(instruction);
  auto kernel = symbols.lookup<exec::KernelOp>(launch.getKernel());
  auto cluster = *kernel.getBody().getOps<graph::ClusterOp>().begin();
  return compiler->mayOverwrite(cluster, launchBuffers(launch), in, out);
}

} // namespace sheaf::lowering
