// Finds the common refinement of the shapes of a group of ops, by splitting and merging dims.
#include "dialects/interfaces/iteration_space.h"

#include "dialects/interfaces/graph_interfaces.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf;

namespace {

/// Dims as nodes of a forest: a node is alone, has been merged into another, or is split in two.
class Refinement : public DimAligner {
public:
  using Nodes = SmallVector<unsigned, 4>;

  /// Makes nodes for the dims of `value`, once.
  void addValue(Value value) {
    auto [entry, isNew] = nodesOf.try_emplace(value);
    if (!isNew)
      return;
    values.push_back(value);
    for (int64_t extent : cast<RankedTensorType>(value.getType()).getShape())
      entry->second.push_back(addNode(extent));
  }

  void align(Value a, ArrayRef<int64_t> dimsOfA, Value b, ArrayRef<int64_t> dimsOfB) override {
    addValue(a);
    addValue(b);
    // Innermost last; each step takes one factor off both.
    Nodes left = leavesOf(a, dimsOfA), right = leavesOf(b, dimsOfB);
    while (!left.empty() && !right.empty()) {
      unsigned x = left.pop_back_val(), y = right.pop_back_val();
      if (x == y)
        continue;
      if (extentOf(x) == extentOf(y)) {
        nodes[x].mergedInto = y;
        refresh(left);
        refresh(right);
        continue;
      }
      bool leftIsLarger = extentOf(x) > extentOf(y);
      unsigned large = leftIsLarger ? x : y, small = leftIsLarger ? y : x;
      if (extentOf(small) == 0 || extentOf(large) % extentOf(small) != 0) {
        isPossible = false;
        return;
      }
      unsigned outer = addNode(extentOf(large) / extentOf(small));
      nodes[large].outer = outer;
      nodes[large].inner = small;
      (leftIsLarger ? left : right).push_back(outer);
      refresh(left);
      refresh(right);
    }
    isPossible &= left.empty() && right.empty();
  }

  /// The factors of each of the given dims, without those of extent 1.
  Nodes leavesOf(Value value, ArrayRef<int64_t> dims) {
    Nodes leaves;
    for (int64_t dim : dims)
      collectLeaves(nodesOf[value][dim], leaves);
    return leaves;
  }

  int64_t extentOf(unsigned node) const { return nodes[node].extent; }

  SmallVector<Value> values;
  bool isPossible = true;

private:
  static constexpr unsigned none = ~0u;
  struct Node {
    int64_t extent;
    unsigned mergedInto = none, outer = none, inner = none;
  };

  unsigned addNode(int64_t extent) {
    nodes.push_back({extent});
    return nodes.size() - 1;
  }

  void collectLeaves(unsigned index, Nodes &leaves) const {
    while (nodes[index].mergedInto != none)
      index = nodes[index].mergedInto;
    if (nodes[index].outer != none) {
      collectLeaves(nodes[index].outer, leaves);
      collectLeaves(nodes[index].inner, leaves);
    } else if (nodes[index].extent != 1) {
      leaves.push_back(index);
    }
  }

  void refresh(Nodes &list) const {
    Nodes leaves;
    for (unsigned node : list)
      collectLeaves(node, leaves);
    list = std::move(leaves);
  }

  SmallVector<Node> nodes;
  DenseMap<Value, Nodes> nodesOf;
};

} // namespace

static int64_t rankOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }

static void collect(Refinement &refinement, ArrayRef<Operation *> ops, ValueRange values) {
  for (Value value : values)
    refinement.addValue(value);
  for (Operation *op : ops) {
    for (Value value : op->getOperands())
      refinement.addValue(value);
    for (Value value : op->getResults())
      refinement.addValue(value);
    if (auto emitted = dyn_cast<EmitOpInterface>(op))
      emitted.alignDims(refinement);
    else
      cast<CombineOpInterface>(op).alignDims(refinement);
  }
}

/// The factors of all reductions; fails when two reductions differ.
static FailureOr<BitVector> findReduced(const IterationSpace &space, ArrayRef<Operation *> ops) {
  BitVector reduced(space.numFactors());
  for (Operation *op : ops) {
    if (!isa<CombineOpInterface>(op))
      continue;
    BitVector factors = space.factorsOf(op->getOperand(0));
    factors.reset(space.factorsOf(op->getResult(0)));
    if (factors.none() || factors == reduced)
      continue;
    if (reduced.any())
      return failure();
    reduced = factors;
  }
  return reduced;
}

FailureOr<IterationSpace> IterationSpace::of(ArrayRef<Operation *> ops, ValueRange values) {
  Refinement refinement;
  collect(refinement, ops, values);
  if (!refinement.isPossible)
    return failure();

  // The value with the most factors must have them all, in the order of the space.
  Refinement::Nodes order;
  for (Value value : refinement.values) {
    auto dims = llvm::to_vector(llvm::seq(rankOf(value)));
    Refinement::Nodes leaves = refinement.leavesOf(value, dims);
    if (leaves.size() > order.size())
      order = leaves;
  }
  IterationSpace space;
  DenseMap<unsigned, unsigned> factorOf;
  for (auto [factor, node] : llvm::enumerate(order)) {
    if (!factorOf.try_emplace(node, factor).second)
      return failure(); // Two dims of one value are walked together: a diagonal.
    space.extents.push_back(refinement.extentOf(node));
  }
  for (Value value : refinement.values) {
    int last = -1;
    auto &dims = space.dims[value];
    for (int64_t dim = 0; dim < rankOf(value); ++dim) {
      auto &factors = dims.emplace_back();
      for (unsigned node : refinement.leavesOf(value, dim)) {
        auto found = factorOf.find(node);
        if (found == factorOf.end() || static_cast<int>(found->second) <= last)
          return failure();
        last = found->second;
        factors.push_back(found->second);
      }
    }
  }
  FailureOr<BitVector> reduced = findReduced(space, ops);
  if (failed(reduced))
    return failure();
  space.reduced = *reduced;
  return space;
}

BitVector IterationSpace::factorsOf(Value value) const {
  BitVector factors(numFactors());
  for (const auto &dim : dims.find(value)->second)
    for (unsigned factor : dim)
      factors.set(factor);
  return factors;
}

int64_t IterationSpace::numPoints() const {
  int64_t points = 1;
  for (int64_t extent : extents)
    points *= extent;
  return points;
}
