// Random numbers of the part of a tensor that a rank holds.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_RANDOM_PART_H
#define SHEAF_DIALECTS_GRAPH_OPS_RANDOM_PART_H

#include "dialects/graph/primitive_builder.h"

namespace sheaf::graph {

/// Lets `part`, of the type of local result 0 of `shards`, be the numbers that a tensor of dims `whole` has there.
void placeInWhole(RandomOp part, llvm::ArrayRef<int64_t> whole, LocalShards &shards);

} // namespace sheaf::graph

#endif
