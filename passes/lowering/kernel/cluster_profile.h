// What a cluster's ops take and use, whatever the target.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_CLUSTER_PROFILE_H
#define SHEAF_PASSES_LOWERING_KERNEL_CLUSTER_PROFILE_H

#include "dialects/graph/graph.h"
#include "passes/lowering/kernel/op_profile.h"

namespace sheaf::lowering {

struct ClusterProfile {
  llvm::DenseMap<mlir::Operation *, OpProfile> ops;
  /// The dims of results whose index ops use.
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> counted;
  /// Whether nothing is computed: then elements are moved as they are, not by their compute type.
  bool onlyMoves = true;
  /// Bytes read and written by the whole cluster.
  int64_t bytes = 0;

  static ClusterProfile of(graph::ClusterOp cluster);

  /// What an element is in registers: itself, or its bytes where those are only moved.
  mlir::Type movedType(mlir::Type element) const;
};

struct ClusterBuffers;
/// A text that is equal for clusters which compile to the same code.
std::string identityOf(graph::ClusterOp cluster, const ClusterBuffers &buffers);

} // namespace sheaf::lowering

#endif
