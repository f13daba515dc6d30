// Builds the module of one kernel: the exported function and the loops in it.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_KERNEL_MODULE_H
#define SHEAF_PASSES_LOWERING_KERNEL_KERNEL_MODULE_H

#include "passes/lowering/kernel/cluster_profile.h"
#include "passes/lowering/kernel/host_emitter.h"
#include "passes/lowering/kernel/kernel_compiler.h"
#include "passes/lowering/kernel/pass_plan.h"
#include "passes/lowering/kernel/schedule.h"

namespace sheaf::lowering {

/// A cluster with all decisions made.
struct ClusterPlan {
  IterationSpace space;
  Schedule schedule;
  PassPlan passes;
  ClusterProfile profile;

  static ClusterPlan of(graph::ClusterOp cluster, const ClusterBuffers &buffers);
};

mlir::OwningOpRef<mlir::ModuleOp> buildKernelModule(graph::ClusterOp cluster,
                                                    const ClusterBuffers &buffers,
                                                    const ClusterPlan &plan, HostFeatures features,
                                                    int64_t cacheBytes, llvm::StringRef symbol);

} // namespace sheaf::lowering

#endif
