// What LLVM does to kernels before it generates code.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_SIMPLIFY_LLVM_H
#define SHEAF_PASSES_LOWERING_KERNEL_SIMPLIFY_LLVM_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace sheaf::lowering {

/// Kernels come as vectors: what is left to do is to simplify addresses and to hoist. Unrolling or
/// vectorizing again makes them slower.
void simplifyLLVM(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace sheaf::lowering

#endif
