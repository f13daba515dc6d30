// Splits a cluster at its reductions and decides what is saved between the passes.
#include "passes/lowering/kernel/pass_plan.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

// Scratch memory of a unit stays in the second-level cache, next to what it is made from.
static constexpr int64_t maxScratchBytes = 256 << 10;
// Loads and vector instructions that computing a value again must take for saving it to pay.
static constexpr int64_t minSavedCost = 3;

bool sheaf::lowering::isTrivialReduction(Operation *op, const IterationSpace &space) {
  return isa<CombineOpInterface>(op) &&
         space.factorsOf(op->getOperand(0)) == space.factorsOf(op->getResult(0));
}

namespace {

class Planner {
public:
  Planner(graph::ClusterOp cluster, const IterationSpace &space, const PassWalk &walk,
          const DenseMap<Operation *, OpProfile> &profiles, PassPlan &plan)
      : body(*cluster.getBodyBlock()), space(space), walk(walk), profiles(profiles), plan(plan) {}

  void run() {
    findStages();
    plan.passes.resize(numStages);
    findRoots();
    for (unsigned pass = 0; pass < numStages; ++pass)
      for (Value root : rootsOf[pass])
        visit(root, pass);
    assignRows();
    fillPasses();
  }

private:
  bool isUnitValue(Value value) const { return !space.factorsOf(value).anyCommon(walk.varying); }

  /// Whether the op rounds a sum of many elements.
  bool isSum(Operation &op) const {
    auto reduce = dyn_cast<graph::ReduceOp>(op);
    return reduce && reduce.getKind() == graph::ReduceKind::sum && !isTrivialReduction(&op, space);
  }

  void findStages() {
    for (BlockArgument argument : body.getArguments())
      stageOf[argument] = 0;
    for (Operation &op : body.without_terminator()) {
      unsigned stage = 0;
      for (Value operand : op.getOperands())
        stage = std::max(stage, stageOf[operand]);
      if (isa<CombineOpInterface>(op) && !isTrivialReduction(&op, space)) {
        numStages = std::max(numStages, stage + 1);
        ++stage;
      }
      stageOf[op.getResult(0)] = stage;
      if (isSum(op) || llvm::any_of(op.getOperands(), [&](Value operand) {
            return plan.statistics.contains(operand);
          }))
        plan.statistics.insert(op.getResult(0));
    }
    for (Value value : body.getTerminator()->getOperands())
      if (!isUnitValue(value))
        numStages = std::max(numStages, stageOf[value] + 1);
    rootsOf.resize(numStages);
  }

  void findRoots() {
    for (Operation &op : body.without_terminator())
      if (isa<CombineOpInterface>(op) && !isTrivialReduction(&op, space)) {
        unsigned pass = stageOf[op.getOperand(0)];
        plan.passes[pass].reductions.push_back(&op);
        rootsOf[pass].push_back(op.getOperand(0));
      }
    for (OpOperand &result : body.getTerminator()->getOpOperands()) {
      if (isUnitValue(result.get())) {
        plan.unitResults.push_back(result.getOperandNumber());
        continue;
      }
      unsigned pass = stageOf[result.get()];
      plan.passes[pass].results.push_back(result.getOperandNumber());
      rootsOf[pass].push_back(result.get());
    }
  }

  /// Loads and instructions that computing `value` takes, from nothing but operands.
  int64_t costOf(Value value) {
    if (isUnitValue(value))
      return 0;
    if (isa<BlockArgument>(value))
      return walk.loadsInRuns ? 1 : minSavedCost;
    auto [entry, isNew] = costs.try_emplace(value, 0);
    if (!isNew)
      return entry->second;
    Operation *op = value.getDefiningOp();
    auto profile = profiles.find(op);
    int64_t cost = profile == profiles.end() ? 0 : profile->second.cost;
    for (Value operand : op->getOperands())
      cost = std::min<int64_t>(cost + costOf(operand), 1 << 20);
    return costs[value] = cost;
  }

  /// Saved values whose row `value` can't take over.
  int64_t numSavedBeside(Value value) const {
    return llvm::count_if(lastUseOf,
                          [&](const auto &saved) { return saved.second > stageOf.lookup(value); });
  }

  bool isWorthSaving(Value value) {
    Type type = Emitter::computeTypeOf(getElementTypeOrSelf(value));
    if (walk.rowElements == 0 || type.isInteger(1) || costOf(value) < minSavedCost)
      return false;
    int64_t bytes = walk.rowElements * type.getIntOrFloatBitWidth() / 8;
    return bytes * (numSavedBeside(value) + 1) <= maxScratchBytes;
  }

  /// Notes what `pass` needs for `value`.
  void visit(Value value, unsigned pass) {
    if (!needed.insert({value, pass}).second)
      return;
    if (isUnitValue(value)) {
      visitUnit(value, pass);
      return;
    }
    bool isEarlier = stageOf[value] < pass;
    if (isEarlier && (lastUseOf.contains(value) || isWorthSaving(value))) {
      lastUseOf[value] = std::max(lastUseOf.lookup(value), pass);
      visit(value, stageOf[value]);
      return;
    }
    if (Operation *op = value.getDefiningOp())
      for (Value operand : op->getOperands())
        visit(operand, pass);
  }

  void visitUnit(Value value, unsigned pass) {
    auto [entry, isNew] = firstUseOf.try_emplace(value, pass);
    if (!isNew && entry->second <= pass)
      return;
    entry->second = pass;
    Operation *op = value.getDefiningOp();
    if (!op || (isa<CombineOpInterface>(op) && !isTrivialReduction(op, space)))
      return;
    for (Value operand : op->getOperands())
      visitUnit(operand, pass);
  }

  /// Gives saved values rows; a row is free for a value that the last reader of the row computes.
  void assignRows() {
    SmallVector<unsigned> lastUseOfRow;
    for (Value value : values()) {
      if (!lastUseOf.contains(value))
        continue;
      Type type = Emitter::computeTypeOf(getElementTypeOrSelf(value));
      unsigned row = 0;
      while (row < plan.rowTypes.size() &&
             (plan.rowTypes[row] != type || lastUseOfRow[row] > stageOf[value]))
        ++row;
      if (row == plan.rowTypes.size()) {
        plan.rowTypes.push_back(type);
        lastUseOfRow.push_back(0);
      }
      plan.rowOf[value] = row;
      lastUseOfRow[row] = lastUseOf[value];
    }
  }

  void fillPasses() {
    unsigned late = numStages;
    for (unsigned result : plan.unitResults)
      visitUnit(body.getTerminator()->getOperand(result), late);
    for (Value value : values()) {
      if (auto use = firstUseOf.find(value); use != firstUseOf.end() && !isReduction(value))
        (use->second == late ? plan.lateUnitValues : plan.passes[use->second].unitValues)
            .push_back(value);
      for (unsigned pass = 0; pass < numStages; ++pass)
        if (!isUnitValue(value) && needed.contains({value, pass}))
          addTo(plan.passes[pass], value, pass);
    }
  }

  bool isReduction(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && isa<CombineOpInterface>(op) && !isTrivialReduction(op, space);
  }

  void addTo(UnitPass &pass, Value value, unsigned index) {
    bool isSaved = plan.rowOf.contains(value);
    if (isSaved && stageOf[value] < index) {
      pass.restored.push_back(value);
      return;
    }
    if (auto argument = dyn_cast<BlockArgument>(value))
      pass.loads.push_back(argument);
    else
      pass.computed.push_back(value.getDefiningOp());
    if (isSaved)
      pass.saved.push_back(value);
  }

  /// All values of the body, in its order.
  SmallVector<Value> values() const {
    SmallVector<Value> all(body.getArguments());
    for (Operation &op : body.without_terminator())
      all.push_back(op.getResult(0));
    return all;
  }

  Block &body;
  const IterationSpace &space;
  const PassWalk &walk;
  const DenseMap<Operation *, OpProfile> &profiles;
  PassPlan &plan;

  unsigned numStages = 0;
  DenseMap<Value, unsigned> stageOf;       // the first pass that can compute the value
  SmallVector<SmallVector<Value>> rootsOf; // of each pass
  DenseSet<std::pair<Value, unsigned>> needed;
  DenseMap<Value, unsigned> lastUseOf;  // of saved values: the last pass that restores it
  DenseMap<Value, unsigned> firstUseOf; // of unit values
  DenseMap<Value, int64_t> costs;
};

} // namespace

PassPlan PassPlan::of(graph::ClusterOp cluster, const IterationSpace &space, const PassWalk &walk,
                      const DenseMap<Operation *, OpProfile> &profiles) {
  PassPlan plan;
  Planner(cluster, space, walk, profiles, plan).run();
  return plan;
}

std::optional<unsigned> PassPlan::lastReadOf(BlockArgument operand) const {
  for (unsigned pass = passes.size(); pass-- > 0;)
    if (llvm::is_contained(passes[pass].loads, operand))
      return pass;
  return std::nullopt;
}
