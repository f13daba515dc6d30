// Groups the ops of a block into clusters.
#ifndef SHEAF_PASSES_LOWERING_CLUSTER_CLUSTER_FORMATION_H
#define SHEAF_PASSES_LOWERING_CLUSTER_CLUSTER_FORMATION_H

#include "passes/lowering/cluster/cluster_group.h"

namespace sheaf::lowering {

/// Partitions the ops of `block` that compute: an op joins the groups of its producers, nearest
/// first, as long as the whole stays viable and no value leaves it and comes back.
llvm::SmallVector<ClusterGroup> formClusters(mlir::Block &block, ClusterRoles &roles);

/// Replaces `group` by a cluster. Users may then come before it: the block needs to be sorted.
graph::ClusterOp outline(const ClusterGroup &group, ClusterRoles &roles);

} // namespace sheaf::lowering

#endif
