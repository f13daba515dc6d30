// Gives a module its mesh.
#include "passes/sharding/passes.h"

#include "dialects/dist/tensor_sharding.h"

namespace sheaf::sharding {
#define GEN_PASS_DEF_SHARDINGSETMESHPASS
#include "passes/sharding/passes.h.inc"
} // namespace sheaf::sharding

using namespace mlir;
using namespace sheaf::dist;

namespace {

struct SetMesh : sheaf::sharding::impl::ShardingSetMeshPassBase<SetMesh> {
  using ShardingSetMeshPassBase::ShardingSetMeshPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (MeshOp mesh : module.getOps<MeshOp>()) {
      mesh.emitError("the model has a mesh already: ") << textOf(mesh.getMesh());
      return signalPassFailure();
    }
    SmallVector<MeshAxisAttr> list;
    for (const std::string &text : axes) {
      auto [name, size] = StringRef(text).split('=');
      int64_t extent;
      if (name.empty() || size.getAsInteger(10, extent)) {
        module.emitError("mesh axis \"") << text << "\" is not of the form NAME=SIZE";
        return signalPassFailure();
      }
      list.push_back(MeshAxisAttr::get(&getContext(), name, extent));
    }
    auto mesh = MeshAttr::getChecked([&] { return module.emitError("mesh: "); }, &getContext(),
                                     ArrayRef(list), ArrayRef<int64_t>());
    if (!mesh)
      return signalPassFailure();
    sheaf::sharding::giveMesh(module, mesh);
  }
};

} // namespace
