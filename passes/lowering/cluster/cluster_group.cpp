// Decides whether a set of ops can be one cluster, and should.
#include "passes/lowering/cluster/cluster_group.h"

#include "passes/lowering/kernel/op_profile.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

// Larger clusters gain no more, and cost registers and compile time.
static constexpr size_t maxOps = 96, maxOperands = 16, maxResults = 4;
// Instructions that may be done again for every row, instead of once.
static constexpr int64_t maxRepeatedCost = 4;

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

static std::pair<ClusterRole, int64_t> classify(Operation *op) {
  constexpr std::pair<ClusterRole, int64_t> stays{ClusterRole::none, 0};
  auto canCompute = [](Type type) { return Emitter::canCompute(getElementTypeOrSelf(type)); };
  if (!llvm::all_of(op->getOperandTypes(), canCompute) ||
      !llvm::all_of(op->getResultTypes(), canCompute))
    return stays;
  if (isa<CombineOpInterface>(op))
    return {ClusterRole::computes, 1};
  if (!isa<EmitOpInterface>(op))
    return stays;
  if (auto constant = dyn_cast<graph::ConstantOp>(op); constant)
    return isa<SplatElementsAttr>(constant.getValue())
               ? std::pair<ClusterRole, int64_t>{ClusterRole::free, 0}
               : stays;
  int64_t cost = OpProfile::of(op).cost;
  bool isFree = cost == 0 || op->getNumOperands() == 0;
  return {isFree ? ClusterRole::free : ClusterRole::computes, cost};
}

ClusterRole ClusterRoles::roleOf(Operation *op) {
  auto [entry, isNew] = known.try_emplace(op);
  if (isNew)
    entry->second = classify(op);
  return entry->second.first;
}

int64_t ClusterRoles::costOf(Operation *op) {
  roleOf(op);
  return known[op].second;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

SmallVector<Operation *> ClusterGroup::ops(ClusterRoles &roles, bool withReshapes) const {
  SmallVector<Operation *> worklist(members.begin(), members.end());
  llvm::SetVector<Operation *> found(members.begin(), members.end());
  // Whether a free op leads, through free ops, to a member.
  auto isInside = [&](Operation *op) {
    while (op && roles.roleOf(op) == ClusterRole::free && op->getNumOperands() == 1)
      op = op->getOperand(0).getDefiningOp();
    return op && members.contains(op);
  };
  while (!worklist.empty()) {
    for (Value operand : worklist.pop_back_val()->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || producer->getBlock() != members.front()->getBlock() ||
          roles.roleOf(producer) != ClusterRole::free)
        continue;
      if (isa<graph::ReshapeOp>(producer) && !withReshapes && !isInside(producer))
        continue;
      if (found.insert(producer))
        worklist.push_back(producer);
    }
  }
  SmallVector<Operation *> ordered = found.takeVector();
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

SmallVector<Value> ClusterGroup::escaping(ArrayRef<Operation *> ops,
                                          const llvm::SetVector<Operation *> &members) {
  // A copy of a free op serves its users inside; where it has others, its operand is needed outside.
  auto isInside = [&](auto &self, Operation *user) -> bool {
    if (members.contains(user))
      return true;
    return llvm::is_contained(ops, user) &&
           llvm::all_of(user->getUsers(), [&](Operation *next) { return self(self, next); });
  };
  SmallVector<Value> values;
  for (Operation *member : members)
    if (!llvm::all_of(member->getUsers(),
                      [&](Operation *user) { return isInside(isInside, user); }))
      values.push_back(member->getResult(0));
  return values;
}

SmallVector<Value> ClusterGroup::external(ArrayRef<Operation *> ops) {
  llvm::SetVector<Value> values;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() || !llvm::is_contained(ops, operand.getDefiningOp()))
        values.insert(operand);
  return values.takeVector();
}

/// Whether work that rows share would be done again for each row, and is more than loading its
/// result. What is the same along a row is cheap: it is done once there.
static bool repeatsWork(ArrayRef<Operation *> ops, const IterationSpace &space,
                        ClusterRoles &roles) {
  BitVector columns = space.reduced, rows = space.reduced;
  rows.flip();
  if (columns.none() && !columns.empty())
    columns.set(columns.size() - 1);
  return llvm::any_of(ops, [&](Operation *op) {
    BitVector factors = space.factorsOf(op->getResult(0)), missing = rows;
    missing.reset(factors);
    return missing.any() && factors.anyCommon(columns) && roles.costOf(op) > maxRepeatedCost;
  });
}

static bool isViable(ArrayRef<Operation *> ops, const llvm::SetVector<Operation *> &members,
                     ClusterRoles &roles) {
  SmallVector<Value> results = ClusterGroup::escaping(ops, members);
  if (ops.size() > maxOps || results.size() > maxResults ||
      ClusterGroup::external(ops).size() > maxOperands)
    return false;
  FailureOr<IterationSpace> space = IterationSpace::of(ops);
  if (failed(space) || repeatsWork(ops, *space, roles))
    return false;
  return llvm::all_of(results, [&](Value value) {
    BitVector missing = space->factorsOf(value);
    missing.flip();
    return missing.none() || missing == space->reduced;
  });
}

SmallVector<Operation *> ClusterGroup::viableOps(ClusterRoles &roles) const {
  for (bool withReshapes : {true, false}) {
    SmallVector<Operation *> candidates = ops(roles, withReshapes);
    if (isViable(candidates, members, roles))
      return candidates;
  }
  if (members.size() == 1)
    return {members.front()};
  return {};
}
