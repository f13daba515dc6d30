// Greedy producer-consumer grouping, and the outlining of a group into a cluster.
#include "passes/lowering/cluster/cluster_formation.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

namespace {

class Formation {
public:
  Formation(Block &block, ClusterRoles &roles) : block(block), roles(roles) {
    for (Operation &op : block) {
      indexOf[&op] = nodes.size();
      Node &node = nodes.emplace_back();
      node.isFree = roles.roleOf(&op) == ClusterRole::free;
      op.walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          if (Operation *producer = operand.getDefiningOp();
              producer && producer->getBlock() == &block)
            node.producers.push_back(indexOf.lookup(producer));
      });
    }
  }

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
    nodeOf(op).group = index;
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
      auto known = indexOf.find(producer);
      if (known != indexOf.end() && nodes[known->second].group)
        found.insert(*nodes[known->second].group);
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
      nodeOf(op).group = into;
    groups[from].members.clear();
    groups[into] = std::move(joined);
  }

  /// Whether something outside of `group` depends on it and is depended on by it: no order of the
  /// two is right. A group is one thing; free ops are in the way only next to others that are.
  bool leavesAndReturns(const ClusterGroup &group) {
    ++search;
    for (Operation *member : group.members)
      nodeOf(member).member = search;
    // A node, and whether the path to it is outside.
    SmallVector<std::pair<unsigned, bool>> worklist;
    bool returns = false;
    auto reach = [&](unsigned node, bool isOutside) {
      if (nodes[node].seen[isOutside] != search) {
        nodes[node].seen[isOutside] = search;
        worklist.push_back({node, isOutside});
      }
    };
    auto follow = [&](const Node &node, bool isOutside) {
      for (unsigned producer : node.producers)
        if (nodes[producer].member == search)
          returns |= isOutside;
        else
          reach(producer, isOutside);
    };
    for (Operation *member : group.members)
      follow(nodeOf(member), /*isOutside=*/false);
    while (!worklist.empty() && !returns) {
      auto [index, isOutside] = worklist.pop_back_val();
      const Node &node = nodes[index];
      follow(node, isOutside || !node.isFree);
      if (node.group)
        for (Operation *fellow : groups[*node.group].members)
          reach(indexOf.lookup(fellow), /*isOutside=*/true);
    }
    return returns;
  }

  /// An op of the block, and what searches have found of it.
  struct Node {
    SmallVector<unsigned, 4> producers;
    std::optional<unsigned> group;
    bool isFree = false;
    unsigned member = 0;       ///< the last search from a group that it is in
    unsigned seen[2] = {0, 0}; ///< the last search that reached it, within and outside
  };

  Node &nodeOf(Operation *op) { return nodes[indexOf.lookup(op)]; }

  Block &block;
  ClusterRoles &roles;
  SmallVector<ClusterGroup> groups;
  std::vector<Node> nodes;
  DenseMap<Operation *, unsigned> indexOf;
  unsigned search = 0;
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
