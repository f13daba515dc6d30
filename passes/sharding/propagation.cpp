// Propagates shardings: rounds of proposals until none changes anything.
#include "passes/sharding/propagation.h"

#include "llvm/ADT/STLExtras.h"
#include <numeric>
#include <set>

using namespace llvm;
using namespace sheaf::dist;

namespace sheaf::sharding {
namespace {

/// One node at work: the shardings of its tensors by factor.
class NodeStep {
public:
  NodeStep(const PropagationNode &node, std::vector<TensorSharding> shardings)
      : node(node), shardings(std::move(shardings)) {
    for (auto [index, sharding] : enumerate(this->shardings))
      projections.push_back(projectToFactors(node.rule, index, sharding));
  }

  /// The axes that the tensors agree on for `factor`, and the tensor that has the most of them. Cut
  /// off where two tensors differ, and, unless aggressive, where some tensor with the factor uses an
  /// axis elsewhere.
  std::pair<AxisList, unsigned> agreed(unsigned factor, bool isAggressive) const {
    unsigned source = 0;
    AxisList longest;
    for (auto [index, projection] : enumerate(projections))
      if (canGive(index) && sizeOf(projection.axes[factor]) > sizeOf(longest)) {
        longest = projection.axes[factor];
        source = index;
      }
    AxisList result = longest;
    for (auto [index, projection] : enumerate(projections)) {
      if (!canGive(index) || startsWith(longest, projection.axes[factor]))
        continue;
      AxisList common = commonPrefix(longest, projection.axes[factor]);
      if (sizeOf(common) < sizeOf(result))
        result = common;
    }
    if (!isAggressive)
      for (unsigned index : seq<unsigned>(projections.size()))
        if (node.rule.holds(index, factor))
          result = prefixWithout(result, usedElsewhere(index, factor));
    return {result, source};
  }

  /// Sets `factor` to `axes` in every tensor that can take them, as far as it can.
  void spread(unsigned factor, const AxisList &axes) {
    for (unsigned index : seq<unsigned>(projections.size()))
      if (canTake(index) && node.rule.holds(index, factor)) {
        AxisList wanted = prefixWithout(axes, usedElsewhere(index, factor));
        AxisList &own = projections[index].axes[factor];
        if (sizeOf(wanted) > sizeOf(own) && startsWith(wanted, own))
          own = wanted;
      }
  }

  AxisList resultFor(unsigned index, unsigned dim) const {
    return dimAxes(node.rule, node.rule.tensors[index][dim], projections[index].axes);
  }

  const FactorAxes &projection(unsigned index) const { return projections[index]; }

  /// Whether tensor `index` can pass its axes on, and get some.
  bool canGive(unsigned index) const { return !node.isOneWay || passes(!isOperand(index)); }
  bool canTake(unsigned index) const { return !node.isOneWay || passes(isOperand(index)); }

private:
  bool isOperand(unsigned index) const { return index < node.rule.numOperands; }
  /// Whether axes pass towards the operands, or towards the results.
  bool passes(bool toOperands) const {
    return node.direction == (toOperands ? Direction::backward : Direction::forward);
  }

  AxisList usedElsewhere(unsigned index, unsigned factor) const {
    AxisList used(projections[index].overflow);
    for (auto [other, axes] : enumerate(projections[index].axes))
      if (other != factor)
        append_range(used, axes);
    append_range(used, shardings[index].replicated);
    append_range(used, shardings[index].partial);
    return used;
  }

  const PropagationNode &node;
  std::vector<TensorSharding> shardings;
  SmallVector<FactorAxes, 4> projections;
};

/// The axes that a node proposes for a factor.
struct FactorProposal {
  int64_t rank; ///< lower goes first
  unsigned factor;
  AxisList axes;
  unsigned source; ///< the tensor they come from
};

/// Leaves out axes that two factors of one tensor want: who gets them has to be decided.
void dropContested(const OpRule &rule, SmallVectorImpl<FactorProposal> &proposals) {
  SmallVector<FactorProposal> all(proposals.begin(), proposals.end());
  for (FactorProposal &proposal : proposals)
    for (const FactorProposal &other : all)
      if (other.factor != proposal.factor &&
          any_of(seq<unsigned>(rule.tensors.size()), [&](unsigned tensor) {
            return rule.holds(tensor, proposal.factor) && rule.holds(tensor, other.factor);
          }))
        proposal.axes = prefixWithout(proposal.axes, other.axes);
}

/// An order of lists by content, for ties.
bool isBefore(AxisListRef lhs, AxisListRef rhs) {
  return std::lexicographical_compare(lhs.begin(), lhs.end(), rhs.begin(), rhs.end(),
                                      [](Axis left, Axis right) {
                                        return std::tuple(left.index, left.preSize, left.size) <
                                               std::tuple(right.index, right.preSize, right.size);
                                      });
}

} // namespace

void Propagation::run() {
  users.assign(tensors.size(), {});
  proposals.assign(tensors.size(), {});
  std::set<int64_t> priorities = {0};
  for (auto [index, node] : enumerate(nodes))
    for (unsigned tensor : node.tensors)
      users[tensor].push_back(index);
  for (PropagatedTensor &tensor : tensors) {
    tensor.origins.resize(tensor.sharding.dims.size());
    for (const DimSharding &dim : tensor.sharding.dims)
      if (!dim.axes.empty())
        priorities.insert(dim.priority);
  }
  for (int64_t priority : priorities)
    for (bool onlyElementwise : {true, false})
      for (bool isAggressive : {false, true})
        runLevel(priority, onlyElementwise, isAggressive);
}

TensorSharding Propagation::visible(unsigned tensor) const {
  TensorSharding sharding = tensors[tensor].sharding;
  for (DimSharding &dim : sharding.dims)
    if (dim.priority > level)
      dim.axes.clear();
  return sharding;
}

void Propagation::runLevel(int64_t priority, bool onlyElementwise, bool isAggressive) {
  level = priority;
  std::vector<unsigned> active(nodes.size()), changed;
  std::iota(active.begin(), active.end(), 0);
  while (!active.empty()) {
    std::vector<unsigned> touched;
    for (unsigned node : active)
      if (!onlyElementwise || nodes[node].isElementwise) {
        propose(node, isAggressive);
        append_range(touched, nodes[node].tensors);
      }
    sort(touched);
    touched.erase(llvm::unique(touched), touched.end());
    active.clear();
    for (unsigned tensor : touched)
      if (settle(tensor))
        append_range(active, users[tensor]);
    sort(active);
    active.erase(llvm::unique(active), active.end());
  }
}

void Propagation::propose(unsigned nodeIndex, bool isAggressive) {
  const PropagationNode &node = nodes[nodeIndex];
  std::vector<TensorSharding> before;
  bool isAnyCut = false;
  for (unsigned tensor : node.tensors) {
    before.push_back(visible(tensor));
    isAnyCut |= any_of(before.back().dims, [](const DimSharding &d) { return !d.axes.empty(); });
  }
  if (!isAnyCut)
    return;
  NodeStep step(node, before);
  // Aggressive: a factor of a larger tensor goes first, and takes axes that others wanted.
  SmallVector<FactorProposal> order;
  for (auto [factor, info] : enumerate(node.rule.factors)) {
    if (StringRef(node.blocked).contains(info.name))
      continue;
    auto [axes, source] = step.agreed(factor, isAggressive);
    if (!axes.empty())
      order.push_back({-tensors[node.tensors[source]].bytes, unsigned(factor), axes, source});
  }
  if (isAggressive)
    llvm::sort(order, [](const FactorProposal &lhs, const FactorProposal &rhs) {
      return std::tie(lhs.rank, lhs.factor) < std::tie(rhs.rank, rhs.factor);
    });
  else
    dropContested(node.rule, order);
  SmallVector<unsigned, 8> sourceOf(node.rule.factors.size(), 0);
  for (const FactorProposal &proposal : order) {
    step.spread(proposal.factor, proposal.axes);
    sourceOf[proposal.factor] = proposal.source;
  }
  for (auto [index, tensor] : enumerate(node.tensors))
    for (auto [dim, factors] : enumerate(node.rule.tensors[index])) {
      AxisList axes = step.resultFor(index, dim);
      if (sizeOf(axes) <= sizeOf(before[index].dims[dim].axes))
        continue;
      // The factor that was cut last is the one that brought something.
      unsigned factor = factors[0];
      for (unsigned candidate : factors)
        if (!step.projection(index).axes[candidate].empty())
          factor = candidate;
      unsigned source = sourceOf[factor], sourceDim = 0;
      for (auto [d, others] : enumerate(node.rule.tensors[source]))
        if (is_contained(others, factor))
          sourceDim = d;
      proposals[tensor].push_back(
          {unsigned(dim), axes, {node.tensors[source], sourceDim, nodeIndex}});
    }
}

bool Propagation::settle(unsigned tensor) {
  auto &all = proposals[tensor];
  // By content only: longer first, then of an earlier dim, then by axes, then by where from.
  llvm::sort(all, [](const Proposal &lhs, const Proposal &rhs) {
    int64_t left = sizeOf(lhs.axes), right = sizeOf(rhs.axes);
    if (left != right)
      return left > right;
    if (lhs.dim != rhs.dim)
      return lhs.dim < rhs.dim;
    if (isBefore(lhs.axes, rhs.axes) || isBefore(rhs.axes, lhs.axes))
      return isBefore(lhs.axes, rhs.axes);
    return std::tie(lhs.origin.tensor, lhs.origin.dim) <
           std::tie(rhs.origin.tensor, rhs.origin.dim);
  });
  TensorSharding &sharding = tensors[tensor].sharding;
  bool hasChanged = false;
  for (Proposal &proposal : all) {
    DimSharding &dim = sharding.dims[proposal.dim];
    if (!dim.isOpen || dim.priority > level)
      continue;
    AxisList others(sharding.replicated);
    append_range(others, sharding.partial);
    for (auto [index, other] : enumerate(sharding.dims))
      if (index != proposal.dim)
        append_range(others, other.axes);
    AxisList axes = prefixWithout(proposal.axes, others);
    if (sizeOf(axes) <= sizeOf(dim.axes) || !startsWith(axes, dim.axes))
      continue;
    dim.axes = axes;
    tensors[tensor].origins[proposal.dim] = proposal.origin;
    hasChanged = true;
  }
  all.clear();
  return hasChanged;
}

} // namespace sheaf::sharding
