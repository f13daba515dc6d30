// Annotates the tensors whose names rules match.
#include "passes/sharding/annotator.h"
#include "passes/sharding/named_tensors.h"
#include "passes/sharding/passes.h"
#include "passes/sharding/rules.h"
#include "passes/sharding/weight_use.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Regex.h"
#include <variant>

namespace sheaf::sharding {
#define GEN_PASS_DEF_SHARDINGAPPLYRULESPASS
#include "passes/sharding/passes.h.inc"
} // namespace sheaf::sharding

using namespace mlir;
using namespace sheaf;
using namespace sheaf::dist;
using namespace sheaf::sharding;

namespace {

/// A rule, ready to match.
struct Matcher {
  const Rule *rule;
  /// None: a pattern that is plain text, which is found faster.
  std::variant<std::monostate, llvm::Regex, llvm::GlobPattern> pattern;

  explicit Matcher(const Rule &rule) : rule(&rule) {
    if (rule.isGlob)
      pattern = llvm::cantFail(llvm::GlobPattern::create(rule.pattern)); // Reading it did not.
    else if (!llvm::Regex::isLiteralERE(rule.pattern))
      pattern = llvm::Regex(rule.pattern);
  }

  bool matches(StringRef name) const {
    if (const auto *glob = std::get_if<llvm::GlobPattern>(&pattern))
      return glob->match(name);
    const auto *regex = std::get_if<llvm::Regex>(&pattern);
    return regex ? regex->match(name) : name.contains(rule->pattern);
  }
};

/// Rules of all sets, in order, at work on one function.
class RuleWriter {
public:
  RuleWriter(ArrayRef<RuleSet> sets, ArrayRef<Matcher> matchers, func::FuncOp function,
             Annotator annotator)
      : sets(sets), matchers(matchers), function(function), annotator(annotator),
        weights(function) {}

  LogicalResult run() {
    std::vector<bool> isUsed(matchers.size());
    for (const NamedTensor &tensor : namedTensors(function)) {
      const auto *found = llvm::find_if(
          matchers, [&](const Matcher &matcher) { return matcher.matches(tensor.name); });
      if (found == matchers.end())
        continue;
      isUsed[found - matchers.begin()] = true;
      if (failed(apply(*found->rule, tensor)))
        return failure();
    }
    keepSlicedWhole(function, annotator);
    return checkUse(isUsed);
  }

private:
  /// Each rule of a file must have matched, of a built-in set one.
  LogicalResult checkUse(const std::vector<bool> &isUsed) {
    auto used = isUsed.begin();
    for (const RuleSet &set : sets) {
      auto begin = std::exchange(used, used + static_cast<ptrdiff_t>(set.rules.size()));
      if (set.isBuiltIn && std::find(begin, used, true) == used)
        return function.emitError("rule set ")
               << set.origin << " knows no name in this model"
               << (&set == sets.begin() ? "" : " that earlier rules leave")
               << "; its parameters are named like " << example();
      for (auto [rule, isRuleUsed] : llvm::zip(set.rules, llvm::make_range(begin, used)))
        if (!isRuleUsed && !set.isBuiltIn)
          return emitError(rule) << "matches no parameter, input, state, output or node that "
                                    "earlier rules and simplification leave";
    }
    return success();
  }

  InFlightDiagnostic emitError(const Rule &rule) {
    InFlightDiagnostic diagnostic =
        mlir::emitError(FileLineColLoc::get(function.getContext(), rule.origin, rule.line, 1));
    diagnostic << "rule \"" << rule.pattern << "\" ";
    return diagnostic;
  }

  std::string example() {
    for (const NamedTensor &tensor : namedTensors(function))
      if (tensor.kind == "parameter")
        return ("\"" + tensor.name + "\"").str();
    return "none";
  }

  /// The axes of these names. A built-in set leaves out those that the mesh lacks.
  FailureOr<AxisList> axesOf(const Rule &rule, ArrayRef<std::string> names) {
    AxisList axes;
    for (const std::string &name : names) {
      std::optional<unsigned> index = annotator.getMesh().indexOf(name);
      if (!index && !rule.isBuiltIn)
        return emitError(rule) << "names axis \"" << name << "\", which mesh "
                               << textOf(annotator.getMesh()) << " lacks",
               failure();
      if (!index)
        continue;
      Axis axis{*index, 1, annotator.getMesh().getAxes()[*index].getSize()};
      if (overlaps(used, {axis}))
        return emitError(rule) << "names axis \"" << name << "\" twice", failure();
      used.push_back(axis);
      if (axis.size > 1)
        append(axes, axis);
    }
    return axes;
  }

  FailureOr<DimSharding> dimOf(const Rule &rule, const DimText &text) {
    DimSharding dim;
    std::vector<std::string> names = text.entries;
    if (!text.isList)
      names = {text.entry};
    dim.isOpen = !names.empty() && (names.back() == "?" || names.back() == "_");
    if (dim.isOpen)
      names.pop_back();
    FailureOr<AxisList> axes = axesOf(rule, names);
    if (failed(axes))
      return failure();
    dim.axes = *axes;
    // Without its axis, a built-in rule says nothing.
    dim.isOpen |= rule.isBuiltIn && axes->empty();
    return dim;
  }

  LogicalResult apply(const Rule &rule, const NamedTensor &tensor) {
    used.clear();
    return rule.axes ? applyDims(rule, tensor) : applyRoles(rule, tensor);
  }

  LogicalResult applyDims(const Rule &rule, const NamedTensor &tensor) {
    if (int64_t(rule.axes->size()) != tensor.type.getRank())
      return emitError(rule) << "has " << rule.axes->size() << " dims, " << tensor.kind << " \""
                             << tensor.name << "\" is " << tensor.type;
    TensorSharding sharding;
    for (const DimText &text : *rule.axes) {
      FailureOr<DimSharding> dim = dimOf(rule, text);
      if (failed(dim))
        return failure();
      sharding.dims.push_back(*dim);
    }
    if (tensor.value)
      annotator.give(tensor.value, sharding);
    else
      annotator.giveResult(tensor.result, sharding);
    return success();
  }

  /// Of a weight, all its uses; of a node, its product. Biases and what else matches follow from these.
  LogicalResult applyRoles(const Rule &rule, const NamedTensor &tensor) {
    bool isColumns = !rule.columns.empty();
    FailureOr<AxisList> axes = axesOf(rule, isColumns ? rule.columns : rule.rows);
    if (failed(axes))
      return failure();
    if (axes->empty() || !tensor.value)
      return success();
    SmallVector<Value> open = {tensor.value};
    if (auto product = tensor.value.getDefiningOp<graph::ContractOp>())
      cutProduct(product, isColumns, *axes);
    else
      while (!open.empty())
        cutUses(open.pop_back_val(), isColumns, *axes, open);
    return success();
  }

  void cutUses(Value value, bool isColumns, const AxisList &axes, SmallVectorImpl<Value> &open) {
    if (!weights.contains(value))
      return;
    // A table of which rows are looked up may be a weight of products as well; its rows are the lookup's.
    if (!isColumns)
      for (OpOperand &use : value.getUses())
        if (auto lookup = dyn_cast<graph::GatherOp>(use.getOwner());
            lookup && use.getOperandNumber() == 0)
          return annotator.cut(value, lookup.getDim(), axes);
    for (Operation *user : llvm::make_early_inc_range(value.getUsers()))
      if (auto product = dyn_cast<graph::ContractOp>(user))
        cutProduct(product, isColumns, axes);
      else
        llvm::append_range(open, user->getResults());
  }

  void cutProduct(graph::ContractOp op, bool isColumns, const AxisList &axes) {
    std::optional<WeightProduct> product = WeightProduct::of(op, weights);
    if (!product)
      return;
    if (isColumns)
      cutColumns(annotator, *product, axes);
    else
      cutRows(annotator, *product, axes);
  }

  ArrayRef<RuleSet> sets;
  ArrayRef<Matcher> matchers;
  func::FuncOp function;
  Annotator annotator;
  Weights weights;
  /// The axes of the rule at work.
  AxisList used;
};

struct ApplyRules : sharding::impl::ShardingApplyRulesPassBase<ApplyRules> {
  using ShardingApplyRulesPassBase::ShardingApplyRulesPassBase;

  void runOnOperation() override {
    std::vector<RuleSet> sets;
    for (const std::string &file : files) {
      llvm::Expected<RuleSet> set = RuleSet::named(file);
      if (!set) {
        mlir::emitError(UnknownLoc::get(&getContext())) << llvm::toString(set.takeError());
        return signalPassFailure();
      }
      sets.push_back(std::move(*set));
    }
    std::vector<Matcher> matchers;
    for (const RuleSet &set : sets)
      for (const Rule &rule : set.rules)
        matchers.emplace_back(rule);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      FailureOr<Annotator> annotator = Annotator::of(function);
      if (failed(annotator) || failed(RuleWriter(sets, matchers, function, *annotator).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
