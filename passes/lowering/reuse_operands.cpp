// Lets instructions overwrite an operand that nothing reads later, instead of using new memory.
#include "passes/analysis/liveness.h"
#include "passes/lowering/call_rules.h"
#include "passes/lowering/emit/launch_buffers.h"
#include "passes/lowering/kernel/kernel_dialects.h"
#include "passes/lowering/passes.h"

namespace sheaf::lowering {
#define GEN_PASS_DEF_LOWERINGREUSEOPERANDSPASS
#include "passes/lowering/passes.h.inc"

using namespace mlir;

namespace {

struct ReuseOperands : impl::LoweringReuseOperandsPassBase<ReuseOperands> {
  using LoweringReuseOperandsPassBase::LoweringReuseOperandsPassBase;

  void runOnOperation() override {
    // Which results may overwrite which operands does not depend on the processor.
    KernelCompiler compiler(&getContext(), HostCpu());
    SymbolTable symbols(getOperation());
    for (auto program : getOperation().getOps<exec::ProgramOp>())
      run(program, compiler, symbols);
  }

  void run(exec::ProgramOp program, KernelCompiler &compiler, const SymbolTable &symbols);
};

/// Whether result `out` of an instruction may overwrite its operand `in`.
bool mayOverwrite(Operation *instruction, unsigned in, unsigned out, KernelCompiler &compiler,
                  const SymbolTable &symbols) {
  if (auto call = dyn_cast<exec::CallOp>(instruction))
    return out == 0 && overwritableOperand(call) == in;
  auto launch = cast<exec::LaunchOp>(instruction);
  // A kernel trusts that no other operand shares the memory that it overwrites.
  for (auto [other, buffer] : llvm::enumerate(launch.getIns()))
    if (other != in && memoryOf(buffer) == memoryOf(launch.getIns()[in]))
      return false;
  auto kernel = symbols.lookup<exec::KernelOp>(launch.getKernel());
  auto cluster = *kernel.getBody().getOps<graph::ClusterOp>().begin();
  return compiler.mayOverwrite(cluster, launchBuffers(launch), in, out);
}

/// Whether one operand of the instruction alone touches the memory `buffer`.
bool isOnlyUse(Operation *instruction, Value buffer) {
  return llvm::count_if(instruction->getOperands(),
                        [&](Value operand) { return memoryOf(operand) == buffer; }) == 1;
}

void ReuseOperands::run(exec::ProgramOp program, KernelCompiler &compiler,
                        const SymbolTable &symbols) {
  Liveness liveness(program);
  for (auto [step, instruction] : llvm::enumerate(liveness.instructions)) {
    auto isWholeArenaBuffer = [&](Value buffer) {
      return buffer.getDefiningOp<exec::BufferOp>() != nullptr;
    };
    for (unsigned out = 0; out < writtenBuffers(instruction).size(); ++out) {
      Value written = writtenBuffers(instruction)[out];
      int64_t now = step;
      if (!isWholeArenaBuffer(written) || liveness.ranges.lookup(written).begin != now)
        continue;
      for (unsigned in = 0; in < readBuffers(instruction).size(); ++in) {
        Value read = readBuffers(instruction)[in];
        bool isDead = isWholeArenaBuffer(read) && read.getType() == written.getType() &&
                      liveness.ranges.lookup(read).end == now && isOnlyUse(instruction, read);
        if (!isDead || !mayOverwrite(instruction, in, out, compiler, symbols))
          continue;
        liveness.ranges[read].end = liveness.ranges[written].end;
        Operation *old = written.getDefiningOp();
        if (old->isBeforeInBlock(read.getDefiningOp()))
          read.getDefiningOp()->moveBefore(old);
        written.replaceAllUsesWith(read);
        old->erase();
        break;
      }
    }
  }
}

} // namespace
} // namespace sheaf::lowering
