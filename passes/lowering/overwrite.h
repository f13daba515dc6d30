// Which results of instructions may overwrite which operands.
#ifndef SHEAF_PASSES_LOWERING_OVERWRITE_H
#define SHEAF_PASSES_LOWERING_OVERWRITE_H

#include "dialects/exec/exec.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/lowering/kernel/kernel_target.h"

namespace sheaf::lowering {

/// Asks the calls and kernels of one module, for one device.
class OverwriteRules {
public:
  OverwriteRules(mlir::ModuleOp module, Device device);

  /// Whether result `out` of an instruction may be written where its operand `in` lies: every element is read before
  /// its place is written, and no other operand lies in that memory.
  bool mayOverwrite(mlir::Operation *instruction, unsigned in, unsigned out);

private:
  std::unique_ptr<KernelCompiler> compiler;
  mlir::SymbolTable symbols;
};

} // namespace sheaf::lowering

#endif
