// Compiles graph.cluster ops into one shared object for the host.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_HOST_KERNEL_COMPILER_H
#define SHEAF_PASSES_LOWERING_KERNEL_HOST_KERNEL_COMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/lowering/kernel/host_cpu.h"
#include "passes/lowering/kernel/kernel_compiler.h"
#include "llvm/ADT/StringMap.h"

namespace sheaf::lowering {

class HostKernelCompiler : public KernelCompiler {
public:
  HostKernelCompiler(mlir::MLIRContext *context, HostCpu cpu);
  ~HostKernelCompiler() override;

  bool mayOverwrite(graph::ClusterOp cluster, const ClusterBuffers &buffers, unsigned operand,
                    unsigned result) override;
  Kernel add(graph::ClusterOp cluster, const ClusterBuffers &buffers) override;
  /// The linker sets all llvm::cl options of the process back to their defaults: read them before.
  mlir::FailureOr<KernelCode> finish() override;

private:
  struct Pending {
    Kernel kernel;
    mlir::OwningOpRef<mlir::ModuleOp> module;
  };

  mlir::MLIRContext *context;
  HostCpu cpu;
  bool hasAvx512;
  llvm::SmallVector<Pending> pending;
  llvm::StringMap<unsigned> pendingOfKey;
};

} // namespace sheaf::lowering

#endif
