// Propagates the given shardings of every function.
#include "dialects/graph/graph.h"
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
      separateConstants(function);
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
  /// Gives each user a constant of its own: where one wants it says nothing of the others.
  static void separateConstants(func::FuncOp function) {
    SmallVector<Operation *> constants;
    function.walk([&](sheaf::graph::ConstantOp op) { constants.push_back(op); });
    for (Operation *op : constants)
      for (OpOperand &use : llvm::make_early_inc_range(op->getUses()))
        if (!op->hasOneUse())
          use.set(OpBuilder(op).clone(*op)->getResult(0));
  }

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
