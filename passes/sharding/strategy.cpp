// Annotates a model by strategies.
#include "passes/sharding/passes.h"
#include "passes/sharding/store_layout.h"
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
  ArrayRef<StringLiteral> axes;
  unsigned (*annotate)(const StrategyTarget &target);
  /// What it looks for.
  StringLiteral sought;
};

constexpr StringLiteral dataAxis[] = {"data"}, tensorAxis[] = {"tensor"};

constexpr Strategy strategies[] = {
    {"dp", dataAxis, cutBatch, "an input with a batch dim"},
    {"tp", tensorAxis, cutTensors,
     "attention, two products with weights with only element-wise ops between them, a lookup in or "
     "a "
     "product with a large vocabulary"},
    {"sp", tensorAxis, cutSequence, "a norm of a [b, s, h] value before a product with a weight"},
};

/// None for a name that is unknown.
std::optional<Strategy> findStrategy(StringRef name) {
  // The layouts of training share the batch; what they store is decided once there is a step.
  if (ArrayRef<StringLiteral> axes = StoreLayout::batchAxes(name); !axes.empty())
    return Strategy{"", axes, cutBatch, strategies[0].sought};
  const auto *found =
      llvm::find_if(strategies, [&](const Strategy &known) { return known.name == name; });
  return found == std::end(strategies) ? std::nullopt : std::optional(*found);
}

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
    std::optional<Strategy> found = findStrategy(name);
    if (!found) {
      auto names = llvm::map_range(strategies, [](const Strategy &known) { return known.name; });
      return function.emitError("strategy \"")
             << name << "\" is unknown; there are " << llvm::join(names, ", ")
             << ", and for training " << StoreLayout::names();
    }
    AxisList axes;
    for (StringRef axis : found->axes) {
      std::optional<unsigned> index = annotator.getMesh().indexOf(axis);
      if (!index)
        return function.emitError("strategy ")
               << name << " needs a mesh axis named " << axis << ": --mesh " << axis
               << "=2; the mesh is " << textOf(annotator.getMesh());
      if (int64_t size = annotator.getMesh().getAxes()[*index].getSize(); size > 1)
        append(axes, Axis{*index, 1, size});
    }
    if (!axes.empty() && found->annotate({function, annotator, weights, axes.front(), axes}) == 0)
      return function.emitError("strategy ")
             << name << " finds nothing to cut; it looks for " << found->sought;
    return success();
  }
};

} // namespace

bool sheaf::sharding::cutsBatchAlone(StringRef name) {
  std::optional<Strategy> strategy = findStrategy(name);
  return strategy && strategy->annotate == cutBatch;
}
