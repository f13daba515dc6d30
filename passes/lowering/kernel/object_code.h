// From a kernel's module to machine code.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_OBJECT_CODE_H
#define SHEAF_PASSES_LOWERING_KERNEL_OBJECT_CODE_H

#include "mlir/IR/BuiltinOps.h"
#include "passes/lowering/kernel/host_cpu.h"

namespace sheaf::lowering {

using Bytes = llvm::SmallVector<char, 0>;

/// Lowers a module of arith, math, vector, scf and llvm ops to the llvm dialect, in place.
mlir::LogicalResult lowerToLLVMDialect(mlir::ModuleOp module);

/// Compiles a module of the llvm dialect into an ELF object. Safe to call from several threads.
mlir::FailureOr<Bytes> compileToObject(mlir::ModuleOp module, const HostCpu &cpu);

/// Links objects into a shared object that exports all their functions and calls nothing but the C
/// and mathematics libraries. Errors: emitted at `location`.
mlir::FailureOr<Bytes> linkSharedObject(llvm::ArrayRef<Bytes> objects, mlir::Location location);

} // namespace sheaf::lowering

#endif
