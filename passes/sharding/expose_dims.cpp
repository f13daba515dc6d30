// Gives what may be cut a dim of its own.
#include "passes/sharding/expose_dims.h"
#include "passes/sharding/passes.h"

namespace sheaf::sharding {
#define GEN_PASS_DEF_SHARDINGEXPOSEDIMSPASS
#include "passes/sharding/passes.h.inc"
} // namespace sheaf::sharding

namespace {

struct ExposeDims : sheaf::sharding::impl::ShardingExposeDimsPassBase<ExposeDims> {
  using ShardingExposeDimsPassBase::ShardingExposeDimsPassBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    sheaf::sharding::keepDimsApart(getOperation());
    if (splitsProducts)
      sheaf::sharding::splitSlicedProducts(getOperation());
  }
};

} // namespace
