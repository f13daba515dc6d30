// What gather_elements and scatter_elements ask of their indices.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_ELEMENT_INDICES_H
#define SHEAF_DIALECTS_GRAPH_OPS_ELEMENT_INDICES_H

#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace sheaf::graph {

/// Fails with an error at `location` unless `indices` has the operand's rank, `dim` is one of its dims
/// and the other extents are at most the operand's.
mlir::LogicalResult checkElementIndices(std::optional<mlir::Location> location,
                                        mlir::RankedTensorType operand,
                                        mlir::RankedTensorType indices, int64_t dim);

} // namespace sheaf::graph

#endif
