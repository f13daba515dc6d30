// Groups element-wise ops and reductions into clusters, each of which becomes one kernel.
#include "passes/lowering/cluster/cluster_formation.h"
#include "passes/lowering/kernel/kernel_dialects.h"
#include "passes/lowering/passes.h"

#include "mlir/Analysis/TopologicalSortUtils.h"

using namespace mlir;

namespace sheaf::lowering {

#define GEN_PASS_DEF_LOWERINGCLUSTERPASS
#include "passes/lowering/passes.h.inc"

namespace {

struct Cluster : impl::LoweringClusterPassBase<Cluster> {
  using LoweringClusterPassBase::LoweringClusterPassBase;

  void runOnOperation() override {
    // Innermost first, so that clusters are no blocks to look into.
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      if (!isa<graph::ClusterOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      runOnBlock(*block);
  }

  void runOnBlock(Block &block) {
    ClusterRoles roles;
    for (const ClusterGroup &group : formClusters(block, roles))
      outline(group, roles);
    // What is free in a cluster but no view outside: ops that are made from nothing, and those that
    // only the load or the store of an element does, such as the cast of f16 to f32.
    for (Operation &op : llvm::make_early_inc_range(block)) {
      bool isView = op.getNumOperands() > 0 && !op.hasTrait<OpTrait::Elementwise>();
      if (isView || roles.roleOf(&op) != ClusterRole::free ||
          op.hasTrait<OpTrait::ConstantLike>() || op.use_empty())
        continue;
      ClusterGroup alone;
      alone.members.insert(&op);
      outline(alone, roles);
    }
    sortTopologically(&block);
  }
};

} // namespace

} // namespace sheaf::lowering
