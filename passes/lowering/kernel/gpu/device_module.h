// Builds the module of one kernel for a GPU.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_GPU_DEVICE_MODULE_H
#define SHEAF_PASSES_LOWERING_KERNEL_GPU_DEVICE_MODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/lowering/kernel/cluster_profile.h"
#include "passes/lowering/kernel/gpu/thread_plan.h"
#include "passes/lowering/kernel/pass_plan.h"

namespace sheaf::lowering {

/// A cluster with all decisions made.
struct DevicePlan {
  IterationSpace space;
  ClusterProfile profile;
  PassPlan passes;
  ThreadPlan threads;

  static DevicePlan of(graph::ClusterOp cluster, const ClusterBuffers &buffers);
};

/// `void symbol(buffer0, ...)`, a kernel in the sense of the CUDA driver. Everything else in the module
/// has a name that begins with `symbol`. Null after an error: an op that there is no code for.
mlir::OwningOpRef<mlir::ModuleOp> buildDeviceModule(graph::ClusterOp cluster,
                                                    const ClusterBuffers &buffers,
                                                    const DevicePlan &plan, llvm::StringRef symbol);

} // namespace sheaf::lowering

#endif
