// The pairs of elements that graph.rotary rotates.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_ROTARY_PAIRS_H
#define SHEAF_DIALECTS_GRAPH_OPS_ROTARY_PAIRS_H

#include "dialects/graph/primitive_builder.h"

namespace sheaf::graph {

/// One element, number `which`, of each pair of the first `2r` of the last dim, as `[.., r]`.
mlir::Value takeOfPairs(PrimitiveBuilder &b, mlir::Value x, int64_t r, int64_t which,
                        bool interleaved);

} // namespace sheaf::graph

#endif
