// Normalizations on local shards whose attributes hold extents.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

/// A rank has the groups whose channels it has.
FailureOr<SmallVector<Value>> GroupNormOp::localize(LocalShards &shards) {
  auto type = cast<RankedTensorType>(shards.resultTypes()[0]);
  Properties properties = getProperties();
  if (int64_t perGroup = getType().getDimSize(1) / int64_t(getGroups()))
    properties.setGroups(shards.builder().getI64IntegerAttr(type.getDimSize(1) / perGroup));
  auto local = GroupNormOp::create(shards.builder(), getLoc(), shards.resultTypes(),
                                   shards.operands(), properties);
  return SmallVector<Value>{local};
}
