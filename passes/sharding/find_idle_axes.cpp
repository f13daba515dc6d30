// Warns of mesh axes along which ranks only repeat each other.
#include "passes/sharding/passes.h"

#include "dialects/dist/tensor_sharding.h"
#include "llvm/ADT/StringSet.h"

namespace sheaf::sharding {
#define GEN_PASS_DEF_SHARDINGFINDIDLEAXESPASS
#include "passes/sharding/passes.h.inc"
} // namespace sheaf::sharding

using namespace mlir;
using namespace sheaf::dist;

namespace {

struct FindIdleAxes : sheaf::sharding::impl::ShardingFindIdleAxesPassBase<FindIdleAxes> {
  using ShardingFindIdleAxesPassBase::ShardingFindIdleAxesPassBase;

  void runOnOperation() override {
    llvm::DenseSet<Attribute> told; // Functions of one mesh have one axis to tell of.
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      FlatSymbolRefAttr name = sheaf::sharding::meshOf(function);
      MeshOp mesh = name ? findMesh(function, name) : nullptr;
      if (!mesh)
        continue;
      llvm::StringSet<> named;
      function->walk([&](Operation *op) {
        for (NamedAttribute attribute : op->getAttrs())
          attribute.getValue().walk([&](AxisRefAttr axis) { named.insert(axis.getName()); });
      });
      for (MeshAxisAttr axis : mesh.getMesh().getAxes())
        if (axis.getSize() > 1 && !named.contains(axis.getName()) &&
            !axis.getName().starts_with("replica") && told.insert(axis).second)
          function.emitWarning("mesh axis \"")
              << axis.getName() << "\" cuts nothing: all its " << axis.getSize()
              << " ranks compute the same; say by --strategy or --rules what it cuts, leave it "
                 "out, "
                 "or call it replica";
    }
  }
};

} // namespace
