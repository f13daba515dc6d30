// The cost of an op that reads its operands and writes its results once.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_OP_COST_H
#define SHEAF_DIALECTS_GRAPH_OPS_OP_COST_H

#include "dialects/support/cost.h"
#include "mlir/IR/Operation.h"

namespace sheaf::graph {

/// `flops`, and the bytes of all operands and results of `op`.
Cost costOf(mlir::Operation *op, int64_t flops);

} // namespace sheaf::graph

#endif
