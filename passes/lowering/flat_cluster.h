// Clusters that do the same to every element, wherever it lies.
#ifndef SHEAF_PASSES_LOWERING_FLAT_CLUSTER_H
#define SHEAF_PASSES_LOWERING_FLAT_CLUSTER_H

#include "dialects/graph/graph.h"

namespace sheaf::lowering {

/// True when every op of the cluster is elementwise on values of one shape, constants apart.
bool isFlat(graph::ClusterOp cluster);

/// The same work on flat operands of `numElements` elements, in another order of the elements.
graph::ClusterOp flatten(mlir::OpBuilder &builder, graph::ClusterOp cluster,
                         mlir::ValueRange flatOperands, int64_t numElements);

} // namespace sheaf::lowering

#endif
