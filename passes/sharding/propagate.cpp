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
      constrainManual(function);
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

private:
  /// What a manual region takes is where it says.
  static void constrainManual(func::FuncOp function) {
    function.walk([](sheaf::dist::ManualOp manual) {
      OpBuilder builder(manual);
      for (OpOperand &operand : manual->getOpOperands())
        operand.set(
            sheaf::dist::ConstraintOp::create(builder, manual.getLoc(), operand.get(),
                                              manual.getInSharding(operand.getOperandNumber())));
    });
  }
};

} // namespace
