// All ops of the graph dialect.
#ifndef SHEAF_DIALECTS_GRAPH_GRAPH_OPS
#define SHEAF_DIALECTS_GRAPH_GRAPH_OPS

include "dialects/graph/ops/attention.td"
include "dialects/graph/ops/contract.td"
include "dialects/graph/ops/conv.td"
include "dialects/graph/ops/data.td"
include "dialects/graph/ops/dropout.td"
include "dialects/graph/ops/elementwise.td"
include "dialects/graph/ops/index.td"
include "dialects/graph/ops/loss.td"
include "dialects/graph/ops/movement.td"
include "dialects/graph/ops/norm.td"
include "dialects/graph/ops/reduce.td"
include "dialects/graph/ops/structure.td"

#endif
