// Rules and local forms: that no op is without.
#include "dialects/graph/graph.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

namespace {

/// Engines go into the loop, make clusters after all is local, and need nothing of what ends a region.
bool isStructure(OperationName op) {
  return op.getIdentifier() == LoopOp::getOperationName() ||
         op.getIdentifier() == ClusterOp::getOperationName() ||
         op.getIdentifier() == YieldOp::getOperationName();
}

TEST(ShardingRule, EveryOpHasOne) {
  MLIRContext context;
  context.loadDialect<GraphDialect>();
  ArrayRef<RegisteredOperationName> ops =
      context.getRegisteredOperationsByDialect(GraphDialect::getDialectNamespace());
  EXPECT_GE(ops.size(), 40u);
  for (RegisteredOperationName op : ops)
    EXPECT_EQ(op.hasInterface<ShardingRuleOpInterface>(), !isStructure(op))
        << op.getStringRef().str();
}

} // namespace
