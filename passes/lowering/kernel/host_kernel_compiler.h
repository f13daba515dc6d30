// Compiles graph.cluster ops into one shared object for the host.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_HOST_KERNEL_COMPILER_H
#define SHEAF_PASSES_LOWERING_KERNEL_HOST_KERNEL_COMPILER_H

#include "passes/lowering/kernel/host_cpu.h"
#include "passes/lowering/kernel/kernel_compiler.h"

namespace sheaf::lowering {

class HostKernelCompiler : public KernelCompiler {
public:
  HostKernelCompiler(mlir::MLIRContext *context, HostCpu cpu);
  ~HostKernelCompiler() override;

  bool mayOverwrite(graph::ClusterOp cluster, const ClusterBuffers &buffers, unsigned operand,
                    unsigned result) override;
  /// The linker sets all llvm::cl options of the process back to their defaults: read them before.
  mlir::FailureOr<KernelCode> finish() override;

private:
  Pending build(graph::ClusterOp cluster, const ClusterBuffers &buffers,
                llvm::StringRef symbol) override;

  HostCpu cpu;
  bool hasAvx512;
};

} // namespace sheaf::lowering

#endif
