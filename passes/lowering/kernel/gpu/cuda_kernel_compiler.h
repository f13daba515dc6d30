// Compiles graph.cluster ops into PTX and cubins.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_GPU_CUDA_KERNEL_COMPILER_H
#define SHEAF_PASSES_LOWERING_KERNEL_GPU_CUDA_KERNEL_COMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/lowering/kernel/gpu/gpu_chips.h"
#include "passes/lowering/kernel/kernel_compiler.h"
#include "llvm/ADT/StringMap.h"

namespace sheaf::lowering {

class CudaKernelCompiler : public KernelCompiler {
public:
  CudaKernelCompiler(mlir::MLIRContext *context, GpuChips chips)
      : context(context), chips(std::move(chips)) {}

  bool mayOverwrite(graph::ClusterOp cluster, const ClusterBuffers &buffers, unsigned operand,
                    unsigned result) override;
  Kernel add(graph::ClusterOp cluster, const ClusterBuffers &buffers) override;
  /// PTX for the first chip, and a cubin for each chip where an assembler is at hand.
  mlir::FailureOr<KernelCode> finish() override;

private:
  mlir::LogicalResult addCubins(llvm::StringRef ptx, std::vector<DeviceImage> &images);

  struct Pending {
    Kernel kernel;
    mlir::OwningOpRef<mlir::ModuleOp> module;
  };

  mlir::MLIRContext *context;
  GpuChips chips;
  llvm::SmallVector<Pending> pending;
  llvm::StringMap<unsigned> pendingOfKey;
};

} // namespace sheaf::lowering

#endif
