// From kernels' modules to PTX, the assembly language of GPUs.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_GPU_PTX_H
#define SHEAF_PASSES_LOWERING_KERNEL_GPU_PTX_H

#include "mlir/IR/BuiltinOps.h"

namespace sheaf::lowering {

/// Compiles a module of the llvm dialect for chips of compute capability `chip` (80 for 8.0) and later.
/// Safe to call from several threads.
mlir::FailureOr<std::string> compileToPtx(mlir::ModuleOp module, unsigned chip);

/// One text of the texts that compileToPtx gave for one chip. Their symbols must differ.
std::string joinPtx(llvm::ArrayRef<std::string> texts);

/// Whether LLVM knows the chip, and kernels run on it: 8.0 has what they need for bf16.
bool hasPtxFor(unsigned chip);

} // namespace sheaf::lowering

#endif
