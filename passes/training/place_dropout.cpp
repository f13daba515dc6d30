// Places dropouts by names of nodes and gives all of a model seeds of their own.
#include "passes/training/passes.h"

#include "dialects/graph/graph.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/xxhash.h"

namespace sheaf::training {
#define GEN_PASS_DEF_TRAININGPLACEDROPOUTPASS
#include "passes/training/passes.h.inc"
} // namespace sheaf::training

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

namespace {

/// The node that an op is of; empty when it has no name.
StringRef nodeOf(Operation *op) {
  auto name = op->getLoc()->findInstanceOf<NameLoc>();
  return name ? name.getName().strref() : StringRef();
}

bool isFloat(Value value) {
  return isa<FloatType>(cast<RankedTensorType>(value.getType()).getElementType());
}

/// Whether a use of a value is not of the node that makes it.
bool leaves(OpOperand &use) {
  Operation *user = use.getOwner(), *op = use.get().getDefiningOp();
  return user->hasTrait<OpTrait::IsTerminator>() || nodeOf(user) != nodeOf(op);
}

/// The floats that leave their node at `op`, but for constants.
SmallVector<Value> leavingFloats(Operation *op) {
  SmallVector<Value> values;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return values;
  for (Value result : op->getResults())
    if (isFloat(result) && llvm::any_of(result.getUses(), leaves))
      values.push_back(result);
  return values;
}

struct Rule {
  StringRef text;
  llvm::GlobPattern glob;
  double ratio;
};

FailureOr<Rule> parse(func::FuncOp model, StringRef text) {
  auto [glob, number] = text.rsplit('=');
  double ratio;
  if (glob.empty() || number.getAsDouble(ratio) || !(ratio >= 0.0 && ratio < 1.0)) // No NaN is.
    return model.emitError() << "dropout \"" << text
                             << "\" is not of the form GLOB=RATIO, the ratio in [0, 1)";
  llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(glob);
  if (!pattern)
    return model.emitError() << "dropout \"" << text
                             << "\": " << llvm::toString(pattern.takeError());
  return Rule{text, std::move(*pattern), ratio};
}

/// Names of nodes that rules could be for; the first of them when there are many.
std::string listNodes(func::FuncOp model) {
  constexpr size_t most = 8;
  llvm::SetVector<StringRef> names;
  for (Operation &op : model.getOps())
    if (!nodeOf(&op).empty() && (isa<DropoutOp>(op) || !leavingFloats(&op).empty()))
      names.insert(nodeOf(&op));
  size_t count = names.size();
  auto quoted = llvm::map_to_vector(names.getArrayRef().take_front(most),
                                    [](StringRef name) { return ("\"" + name + "\"").str(); });
  return quoted.empty()
             ? "none"
             : llvm::join(quoted, ", ") +
                   (count > most ? " and " + std::to_string(count - most) + " more" : "");
}

/// Adds what `rule` says of the ops of the model. Errors: there is none.
LogicalResult apply(const Rule &rule, func::FuncOp model,
                    llvm::MapVector<Operation *, double> &ratios) {
  bool hasMatched = false, hasEffect = false;
  for (Operation &op : model.getOps()) {
    bool isDropout = isa<DropoutOp>(op);
    if (!rule.glob.match(nodeOf(&op)) || !(isDropout || !leavingFloats(&op).empty()))
      continue;
    hasMatched = true;
    hasEffect |= isDropout || rule.ratio > 0.0 || ratios.contains(&op);
    ratios[&op] = rule.ratio;
  }
  if (!hasMatched)
    return model.emitError() << "dropout \"" << rule.text
                             << "\" matches no node that makes floats; there are "
                             << listNodes(model);
  if (!hasEffect)
    return model.emitError() << "dropout \"" << rule.text
                             << "\" has no effect: nothing that it matches drops out";
  return success();
}

void place(Operation *op, double ratio) {
  if (auto dropout = dyn_cast<DropoutOp>(op)) {
    dropout.setRatio(APFloat(ratio));
    if (ratio == 0.0) {
      dropout.replaceAllUsesWith(dropout.getOperand());
      dropout.erase();
    }
    return;
  }
  if (ratio == 0.0)
    return;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto seed = int64_t(llvm::xxh3_64bits(nodeOf(op)));
  for (Value value : leavingFloats(op)) {
    auto name = NameLoc::get(builder.getStringAttr("dropout of " + nodeOf(op)));
    auto dropout = DropoutOp::create(builder, name, value.getType(), value, APFloat(ratio), seed,
                                     /*active=*/false, /*counter=*/Value());
    value.replaceUsesWithIf(dropout.getResult(), [&](OpOperand &use) {
      return use.getOwner() != dropout && leaves(use);
    });
  }
}

/// Tells of what acts in training only, unless a rule has named it.
void warnOfActivated(func::FuncOp model, const llvm::MapVector<Operation *, double> &named) {
  SmallVector<Operation *> activated;
  for (auto dropout : model.getOps<DropoutOp>())
    if (!dropout.getActive() && !named.contains(dropout))
      activated.push_back(dropout);
  if (!activated.empty())
    model.emitWarning() << activated.size() << " Dropout "
                        << (activated.size() == 1 ? "node" : "nodes")
                        << " of a model for inference drop out in train_step, \""
                        << nodeOf(activated.front())
                        << "\" the first; --dropout GLOB=RATIO sets them, 0 turns them off";
}

/// Counters are added to seeds, so seeds must be far apart whatever the model has.
void spreadSeeds(func::FuncOp model) {
  DenseMap<int64_t, int64_t> numUses;
  for (auto dropout : model.getOps<DropoutOp>()) {
    int64_t seed = dropout.getSeed();
    std::string text = std::to_string(seed) + "/" + std::to_string(numUses[seed]++);
    dropout.setSeed(int64_t(llvm::xxh3_64bits(text) >> 1)); // Not negative.
  }
}

struct PlaceDropout : training::impl::TrainingPlaceDropoutPassBase<PlaceDropout> {
  using TrainingPlaceDropoutPassBase::TrainingPlaceDropoutPassBase;

  void runOnOperation() override {
    func::FuncOp model = getOperation();
    llvm::MapVector<Operation *, double> ratios;
    for (StringRef text : rules) {
      FailureOr<Rule> rule = parse(model, text);
      if (failed(rule) || failed(apply(*rule, model, ratios)))
        return signalPassFailure();
    }
    warnOfActivated(model, ratios);
    for (auto [op, ratio] : ratios)
      place(op, ratio);
    spreadSeeds(model);
  }
};

} // namespace
