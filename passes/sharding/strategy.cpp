// Annotates a model by strategies.
#include "passes/sharding/passes.h"
#include "passes/sharding/strategies.h"

#include "llvm/ADT/StringExtras.h"

namespace sheaf::sharding {
#define GEN_PASS_DEF_SHARDINGSTRATEGYPASS
#include "passes/sharding/passes.h.inc"
} // namespace sheaf::sharding

using namespace mlir;
using namespace sheaf;
using namespace sheaf::dist;
using namespace sheaf::sharding;

namespace {

/// A strategy by name.
struct Strategy {
  StringLiteral name;
  StringLiteral axis;
  unsigned (*annotate)(const StrategyTarget &target);
  /// What it looks for.
  StringLiteral sought;
};

constexpr Strategy strategies[] = {
    {"dp", "data", cutBatch, "an input with a batch dim"},
    {"tp", "tensor", cutTensors,
     "attention, two products with weights with only element-wise ops between them, a lookup in or "
     "a "
     "product with a large vocabulary"},
    {"sp", "tensor", cutSequence, "a norm of a [b, s, h] value before a product with a weight"},
};

struct ApplyStrategies : sharding::impl::ShardingStrategyPassBase<ApplyStrategies> {
  using ShardingStrategyPassBase::ShardingStrategyPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      FailureOr<Annotator> annotator = Annotator::of(function);
      if (failed(annotator))
        return signalPassFailure();
      Weights weights(function);
      for (const std::string &name : strategy)
        if (failed(apply(name, function, *annotator, weights)))
          return signalPassFailure();
    }
  }

private:
  LogicalResult apply(StringRef name, func::FuncOp function, Annotator &annotator,
                      const Weights &weights) {
    const auto *found =
        llvm::find_if(strategies, [&](const Strategy &known) { return known.name == name; });
    if (found == std::end(strategies)) {
      auto names = llvm::map_range(strategies, [](const Strategy &known) { return known.name; });
      return function.emitError("strategy \"")
             << name << "\" is unknown; there are " << llvm::join(names, ", ");
    }
    std::optional<unsigned> index = annotator.getMesh().indexOf(found->axis);
    if (!index)
      return function.emitError("strategy ")
             << name << " needs a mesh axis named " << found->axis << ": --mesh " << found->axis
             << "=2; the mesh is " << textOf(annotator.getMesh());
    Axis axis{*index, 1, annotator.getMesh().getAxes()[*index].getSize()};
    if (axis.size > 1 && found->annotate({function, annotator, weights, axis}) == 0)
      return function.emitError("strategy ")
             << name << " finds nothing to cut; it looks for " << found->sought;
    return success();
  }
};

} // namespace
