// Greedy producer-consumer grouping, and the outlining of a group into a cluster.
#include "passes/lowering/cluster/cluster_formation.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/PointerIntPair.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

namespace {

class Formation {
public:
  Formation(Block &block, ClusterRoles &roles) : block(block), roles(roles) {}

  SmallVector<ClusterGroup> run() {
    for (Operation &op : block)
      if (roles.roleOf(&op) == ClusterRole::computes)
        place(&op);
    SmallVector<ClusterGroup> formed;
    for (ClusterGroup &group : groups)
      if (!group.members.empty())
        formed.push_back(std::move(group));
    return formed;
  }

private:
  /// Starts a group with `op`, then joins it with those of its producers.
  void place(Operation *op) {
    unsigned index = groups.size();
    groups.emplace_back().members.insert(op);
    groupOf[op] = index;
    for (unsigned producer : producersOf(op))
      join(producer, index);
  }

  /// The groups that `op` takes values from, free ops in between; the latest first.
  SmallVector<unsigned> producersOf(Operation *op) {
    llvm::SetVector<unsigned> found;
    SmallVector<Value> worklist(op->getOperands());
    while (!worklist.empty()) {
      Operation *producer = worklist.pop_back_val().getDefiningOp();
      if (!producer)
        continue;
      if (auto group = groupOf.find(producer); group != groupOf.end())
        found.insert(group->second);
      else if (roles.roleOf(producer) == ClusterRole::free)
        llvm::append_range(worklist, producer->getOperands());
    }
    SmallVector<unsigned> sorted = found.takeVector();
    llvm::sort(sorted, [&](unsigned a, unsigned b) {
      return groups[b].members.back()->isBeforeInBlock(groups[a].members.back());
    });
    return sorted;
  }

  void join(unsigned from, unsigned into) {
    if (from == into || groups[from].members.empty())
      return;
    ClusterGroup joined;
    SmallVector<Operation *> members(groups[from].members.getArrayRef());
    llvm::append_range(members, groups[into].members);
    llvm::sort(members, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    joined.members.insert(members.begin(), members.end());
    if (leavesAndReturns(joined) || joined.viableOps(roles).empty())
      return;
    for (Operation *op : groups[from].members)
      groupOf[op] = into;
    groups[from].members.clear();
    groups[into] = std::move(joined);
  }

  /// Whether something outside of `group` depends on it and is depended on by it: no order of the
  /// two is right. A group is one thing; free ops are in the way only next to others that are.
  bool leavesAndReturns(const ClusterGroup &group) {
    DenseSet<llvm::PointerIntPair<Operation *, 1, bool>>
        seen; // op, and whether the path to it is outside
    SmallVector<llvm::PointerIntPair<Operation *, 1, bool>> worklist;
    bool returns = false;
    auto follow = [&](Operation *op, bool isOutside) {
      op->walk([&](Operation *nested) {
        for (Value operand : nested->getOperands()) {
          Operation *producer = operand.getDefiningOp();
          if (!producer || producer->getBlock() != op->getBlock())
            continue;
          if (group.members.contains(producer))
            returns |= isOutside;
          else if (seen.insert({producer, isOutside}).second)
            worklist.push_back({producer, isOutside});
        }
      });
    };
    for (Operation *member : group.members)
      follow(member, /*isOutside=*/false);
    while (!worklist.empty() && !returns) {
      auto entry = worklist.pop_back_val();
      Operation *op = entry.getPointer();
      bool isOutside = entry.getInt();
      isOutside |= roles.roleOf(op) != ClusterRole::free;
      follow(op, isOutside);
      if (auto other = groupOf.find(op); other != groupOf.end())
        for (Operation *fellow : groups[other->second].members)
          if (seen.insert({fellow, true}).second)
            worklist.push_back({fellow, true});
    }
    return returns;
  }

  Block &block;
  ClusterRoles &roles;
  SmallVector<ClusterGroup> groups;
  DenseMap<Operation *, unsigned> groupOf;
};

} // namespace

SmallVector<ClusterGroup> sheaf::lowering::formClusters(Block &block, ClusterRoles &roles) {
  return Formation(block, roles).run();
}

graph::ClusterOp sheaf::lowering::outline(const ClusterGroup &group, ClusterRoles &roles) {
  SmallVector<Operation *> ops = group.viableOps(roles);
  SmallVector<Value> operands = ClusterGroup::external(ops);
  SmallVector<Value> results = ClusterGroup::escaping(ops, group.members);
  SmallVector<Location> locations;
  for (Operation *op : group.members)
    locations.push_back(op->getLoc());

  OpBuilder builder(group.members.back());
  Location location = builder.getFusedLoc(locations);
  auto cluster =
      graph::ClusterOp::create(builder, location, ValueRange(results).getTypes(), operands);
  Block *body = builder.createBlock(&cluster.getBody());
  IRMapping inside;
  for (Value operand : operands)
    inside.map(operand, body->addArgument(operand.getType(), operand.getLoc()));
  for (Operation *op : ops)
    builder.clone(*op, inside);
  SmallVector<Value> yielded;
  for (Value result : results)
    yielded.push_back(inside.lookup(result));
  graph::YieldOp::create(builder, location, yielded);

  for (auto [value, result] : llvm::zip_equal(results, cluster.getResults()))
    value.replaceAllUsesWith(result);
  for (Operation *op : llvm::reverse(ops))
    if (group.members.contains(op) || op->use_empty()) {
      roles.forget(op);
      op->erase();
    }
  return cluster;
}
