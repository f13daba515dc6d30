// Propagates the given shardings of every function.
#include "passes/sharding/function_tensors.h"
#include "passes/sharding/passes.h"

namespace sheaf::sharding {
#define GEN_PASS_DEF_SHARDINGPROPAGATEPASS
#include "passes/sharding/passes.h.inc"
} // namespace sheaf::sharding

using namespace mlir;

namespace {

struct Propagate : sheaf::sharding::impl::ShardingPropagatePassBase<Propagate> {
  using ShardingPropagatePassBase::ShardingPropagatePassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      FailureOr<sheaf::sharding::FunctionTensors> tensors =
          sheaf::sharding::FunctionTensors::read(function);
      if (failed(tensors))
        return signalPassFailure();
      if (!tensors->hasMesh())
        continue;
      tensors->propagation().run();
      if (explain)
        tensors->explain();
      tensors->write();
    }
  }
};

} // namespace
