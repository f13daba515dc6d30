// Builds the module of one kernel: the exported function and the loops in it.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_KERNEL_MODULE_H
#define SHEAF_PASSES_LOWERING_KERNEL_KERNEL_MODULE_H

#include "passes/lowering/kernel/host_emitter.h"
#include "passes/lowering/kernel/kernel_compiler.h"
#include "passes/lowering/kernel/pass_plan.h"

namespace sheaf::lowering {

/// A cluster with all decisions made.
struct ClusterPlan {
  IterationSpace space;
  Schedule schedule;
  PassPlan passes;
  /// Whether nothing is computed: then elements are moved as they are, not by their compute type.
  bool onlyMoves = true;
  /// Bytes read and written by the whole cluster.
  int64_t bytes = 0;

  static ClusterPlan of(graph::ClusterOp cluster, const ClusterBuffers &buffers);
};

mlir::OwningOpRef<mlir::ModuleOp> buildKernelModule(graph::ClusterOp cluster,
                                                    const ClusterBuffers &buffers,
                                                    const ClusterPlan &plan, HostFeatures features,
                                                    int64_t cacheBytes, llvm::StringRef symbol);

} // namespace sheaf::lowering

#endif
