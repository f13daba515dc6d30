// Compiles graph.cluster ops into PTX and cubins.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_GPU_CUDA_KERNEL_COMPILER_H
#define SHEAF_PASSES_LOWERING_KERNEL_GPU_CUDA_KERNEL_COMPILER_H

#include "passes/lowering/kernel/gpu/gpu_chips.h"
#include "passes/lowering/kernel/kernel_compiler.h"

namespace sheaf::lowering {

class CudaKernelCompiler : public KernelCompiler {
public:
  CudaKernelCompiler(mlir::MLIRContext *context, GpuChips chips)
      : KernelCompiler(context), chips(std::move(chips)) {}

  bool mayOverwrite(graph::ClusterOp cluster, const ClusterBuffers &buffers, unsigned operand,
                    unsigned result) override;
  /// PTX for the first chip, and a cubin for each chip where an assembler is at hand.
  mlir::FailureOr<KernelCode> finish() override;

private:
  Pending build(graph::ClusterOp cluster, const ClusterBuffers &buffers,
                llvm::StringRef symbol) override;
  mlir::LogicalResult addCubins(llvm::StringRef ptx, std::vector<DeviceImage> &images);

  GpuChips chips;
};

} // namespace sheaf::lowering

#endif
