// Searches reshard paths.
#include "passes/sharding/reshard_path.h"

#include "dialects/support/stored_size.h"
#include "passes/sharding/reshard_state.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <numeric>
#include <queue>
#include <set>

using namespace mlir;
using namespace sheaf::dist;

namespace sheaf::sharding {
namespace {

using Kind = ReshardStep::Kind;

/// More shardings than this are not looked at.
constexpr size_t kMaxVisited = 4000;

/// The search: shardings reached so far, by cost.
class Search {
public:
  Search(RankedTensorType type, const AxisAtoms &atoms, const ReshardState &from,
         const ReshardState &to, int64_t maxBlockBytes)
      : type(type), atoms(atoms), target(to), maxBlockBytes(maxBlockBytes) {
    reach(from, 0, 0, -1, {});
  }

  /// The index of the target among those reached; none when the search was cut off.
  std::optional<int> run() {
    while (!queue.empty() && reached.size() < kMaxVisited) {
      auto [cost, numSteps, index] = queue.top();
      queue.pop();
      if (reached[index].isDone)
        continue;
      reached[index].isDone = true;
      if (reached[index].state == target)
        return index;
      expand(index);
    }
    return std::nullopt;
  }

  ReshardPath pathTo(int index) const {
    ReshardPath path;
    path.sentBytes = reached[index].cost;
    std::vector<ReshardStep> reversed;
    for (; reached[index].before >= 0; index = reached[index].before)
      reversed.push_back(reached[index].step);
    for (ReshardStep &step : llvm::reverse(reversed))
      if (path.steps.empty() || !joinSlices(path.steps.back(), step))
        path.steps.push_back(std::move(step));
    return path;
  }

private:
  /// Makes `first` cut what `second` cuts as well, if one slice can do both.
  bool joinSlices(ReshardStep &first, const ReshardStep &second) const {
    if (first.kind != Kind::slice || second.kind != Kind::slice || first.dim != second.dim)
      return false;
    AxisListRef after = second.result.dims[second.dim].axes;
    AxisList both = concat(first.axes, second.axes);
    auto before = splitAt(after, sizeOf(after) / sizeOf(both));
    auto sizes = [](AxisListRef axes) {
      return llvm::map_to_vector(axes, [](Axis axis) { return axis.size; });
    };
    if (!before)
      return false;
    SmallVector<int64_t> inTwo = sizes(before->first);
    inTwo.push_back(sizeOf(both));
    if (!areSameBlocks(type.getDimSize(second.dim), inTwo, sizes(after)))
      return false;
    first.axes = both;
    first.result = second.result;
    return true;
  }

  struct Reached {
    ReshardState state;
    double cost;
    int numSteps;
    int before;
    ReshardStep step;
    bool isDone = false;
  };

  void reach(ReshardState state, double cost, int numSteps, int before, ReshardStep step) {
    if (before >= 0 && maxBlockBytes != 0 && atoms.blockBytes(type, state) > maxBlockBytes)
      return;
    auto [known, isNew] = indexOf.try_emplace(state.key(), reached.size());
    if (!isNew) {
      Reached &old = reached[known->second];
      if (old.isDone || std::tie(old.cost, old.numSteps) <= std::tie(cost, numSteps))
        return;
      old.cost = cost;
      old.numSteps = numSteps;
      old.before = before;
      old.step = std::move(step);
    } else {
      reached.push_back({std::move(state), cost, numSteps, before, std::move(step)});
    }
    queue.push({cost, numSteps, int(known->second)});
  }

  void step(int index, Kind kind, ReshardState next, AxisList axes, unsigned dim, unsigned splitDim,
            double sentBytes, AxisList to = {}) {
    ReshardStep step{kind, std::move(axes), std::move(to), dim, splitDim, atoms.sharding(next)};
    reach(std::move(next), reached[index].cost + sentBytes, reached[index].numSteps + 1, index,
          std::move(step));
  }

  void expand(int index) {
    const ReshardState state = reached[index].state;
    double block = atoms.blockBytes(type, state);
    combine(index, state, block);
    for (unsigned dim = 0; dim < state.dims.size(); ++dim) {
      cut(index, state, dim);
      for (size_t count = 1; count <= state.dims[dim].size(); ++count)
        uncut(index, state, dim, count, block);
    }
    permute(index, state, block);
  }

  /// all_reduce of all that is to be combined; reduce_scatter of parts of it.
  void combine(int index, const ReshardState &state, double block) {
    SmallVector<unsigned> due;
    for (unsigned atom : state.partial)
      if (!llvm::is_contained(target.partial, atom))
        due.push_back(atom);
    if (due.empty())
      return;
    ReshardState next = state;
    llvm::erase_if(next.partial, [&](unsigned atom) { return llvm::is_contained(due, atom); });
    AxisList axes = atoms.axes(due);
    double n = sizeOf(axes);
    step(index, Kind::allReduce, next, axes, 0, 0, 2 * (n - 1) / n * block);
    for (unsigned dim = 0; dim < state.dims.size(); ++dim) {
      // What the target wants next there, else one at a time.
      SmallVector<unsigned> run;
      for (unsigned atom : atoms.missing(state.dims[dim], target.dims[dim])) {
        if (!llvm::is_contained(due, atom))
          break;
        run.push_back(atom);
        scatter(index, state, dim, run, block);
      }
      if (run.empty())
        for (unsigned atom : due)
          scatter(index, state, dim, {atom}, block);
    }
  }

  void scatter(int index, const ReshardState &state, unsigned dim, ArrayRef<unsigned> moved,
               double block) {
    ReshardState next = state;
    llvm::erase_if(next.partial, [&](unsigned atom) { return llvm::is_contained(moved, atom); });
    llvm::append_range(next.dims[dim], moved);
    if (!canCut(dim, state.dims[dim], moved))
      return;
    AxisList axes = atoms.axes(moved);
    double n = sizeOf(axes);
    step(index, Kind::reduceScatter, next, axes, dim, 0, (n - 1) / n * block);
  }

  /// slice: axes that the target uses somewhere and that nothing uses now.
  void cut(int index, const ReshardState &state, unsigned dim) {
    SmallVector<unsigned> run;
    for (unsigned atom : atoms.missing(state.dims[dim], target.dims[dim])) {
      if (state.uses(atom))
        break;
      run.push_back(atom);
      slice(index, state, dim, run);
    }
    if (run.empty())
      for (unsigned atom = 0; atom < atoms.size(); ++atom)
        if (!state.uses(atom) && target.uses(atom) && !llvm::is_contained(target.partial, atom))
          slice(index, state, dim, {atom});
  }

  void slice(int index, const ReshardState &state, unsigned dim, ArrayRef<unsigned> added) {
    if (!canCut(dim, state.dims[dim], added))
      return;
    ReshardState next = state;
    llvm::append_range(next.dims[dim], added);
    step(index, Kind::slice, next, atoms.axes(added), dim, 0, 0);
  }

  /// all_gather and all_to_all of the last `count` axes of a dim.
  void uncut(int index, const ReshardState &state, unsigned dim, size_t count, double block) {
    ArrayRef<unsigned> list = state.dims[dim];
    ArrayRef<unsigned> kept = list.drop_back(count), moved = list.take_back(count);
    if (!canCut(dim, kept, moved))
      return;
    ReshardState gathered = state;
    gathered.dims[dim].resize(kept.size());
    AxisList axes = atoms.axes(moved);
    double n = sizeOf(axes);
    step(index, Kind::allGather, gathered, axes, dim, 0, (n - 1) * block);
    for (unsigned other = 0; other < state.dims.size(); ++other)
      if (other != dim && canCut(other, state.dims[other], moved)) {
        ReshardState next = gathered;
        llvm::append_range(next.dims[other], moved);
        step(index, Kind::allToAll, next, axes, dim, other, (n - 1) / n * block);
      }
  }

  /// permute: to where every dim begins as in the target, or is a part of it.
  void permute(int index, const ReshardState &state, double block) {
    std::optional<ReshardState> next = atoms.rearranged(state, target);
    if (!next || *next == state)
      return;
    SmallVector<unsigned> from, to;
    for (unsigned dim = 0; dim < state.dims.size(); ++dim) {
      if (!areSameBlocks(type.getDimSize(dim), atoms.sizes(state.dims[dim]),
                         atoms.sizes(next->dims[dim])))
        return;
      llvm::append_range(from, state.dims[dim]);
      llvm::append_range(to, next->dims[dim]);
    }
    // Both lists name the same axes; those that only one end uses go last.
    SmallVector<unsigned> onlyTo, onlyFrom;
    llvm::copy_if(to, std::back_inserter(onlyTo),
                  [&](unsigned atom) { return !llvm::is_contained(from, atom); });
    llvm::copy_if(from, std::back_inserter(onlyFrom),
                  [&](unsigned atom) { return !llvm::is_contained(to, atom); });
    llvm::append_range(from, onlyTo);
    llvm::append_range(to, onlyFrom);
    step(index, Kind::permute, *next, atoms.axes(from), 0, 0, block, atoms.axes(to));
  }

  /// Whether a dim cut along `list`, then along `added` in one step, is one cut along both.
  bool canCut(unsigned dim, ArrayRef<unsigned> list, ArrayRef<unsigned> added) const {
    SmallVector<unsigned> both(list);
    llvm::append_range(both, added);
    SmallVector<int64_t> inTwo = atoms.sizes(list);
    inTwo.push_back(sizeOf(atoms.axes(added)));
    return areSameBlocks(type.getDimSize(dim), inTwo, atoms.sizes(both));
  }

  RankedTensorType type;
  const AxisAtoms &atoms;
  ReshardState target;
  int64_t maxBlockBytes;
  std::vector<Reached> reached;
  std::map<std::vector<unsigned>, size_t> indexOf;
  std::priority_queue<std::tuple<double, int, int>, std::vector<std::tuple<double, int, int>>,
                      std::greater<>>
      queue;
};

/// Combines, gathers each dim, list entry by list entry, and cuts: legal for any two shardings.
ReshardPath pathThroughWhole(RankedTensorType type, TensorSharding state,
                             const TensorSharding &to) {
  ReshardPath path;
  auto blockBytes = [&] { return double(memoryBytes(blockTypeOf(type, state)).value_or(0)); };
  AxisList due = difference(state.partial, to.partial);
  if (!due.empty()) {
    double n = sizeOf(due);
    state.partial = difference(state.partial, due);
    path.sentBytes += 2 * (n - 1) / n * blockBytes();
    path.steps.push_back({Kind::allReduce, due, {}, 0, 0, state});
  }
  for (unsigned dim = 0; dim < state.dims.size(); ++dim) {
    AxisList &axes = state.dims[dim].axes;
    if (axes == to.dims[dim].axes)
      continue;
    while (!axes.empty()) {
      AxisList last = {axes.back()};
      path.sentBytes += double(sizeOf(last) - 1) * blockBytes();
      axes.pop_back();
      path.steps.push_back({Kind::allGather, last, {}, dim, 0, state});
    }
  }
  for (unsigned dim = 0; dim < state.dims.size(); ++dim)
    if (state.dims[dim].axes != to.dims[dim].axes)
      for (Axis axis : to.dims[dim].axes) {
        state.dims[dim].axes.push_back(axis);
        path.steps.push_back({Kind::slice, {axis}, {}, dim, 0, state});
      }
  return path;
}

} // namespace

bool areSameBlocks(int64_t extent, ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  auto product = [](ArrayRef<int64_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
  };
  int64_t parts = product(lhs);
  if (parts != product(rhs))
    return false;
  if (extent % parts == 0 || lhs == rhs)
    return true;
  // Where part `index` begins, and how much it holds (runtime/abi/shard.h).
  auto partOf = [&](ArrayRef<int64_t> sizes, int64_t index) {
    int64_t left = parts, begin = 0, held = extent, block = extent;
    for (int64_t size : sizes) {
      left /= size;
      block = llvm::divideCeil(block, size);
      int64_t skipped = std::min(index / left % size * block, held);
      begin += skipped;
      held = std::min(held - skipped, block);
    }
    return held == 0 ? std::pair<int64_t, int64_t>(0, 0) : std::pair(begin, held);
  };
  return llvm::all_of(llvm::seq(parts),
                      [&](int64_t index) { return partOf(lhs, index) == partOf(rhs, index); });
}

ReshardPath findReshardPath(RankedTensorType type, const TensorSharding &from,
                            const TensorSharding &to, const ReshardLimits &limits) {
  TensorSharding placedFrom = from.placed(), placedTo = to.placed();
  placedTo.partialKind = placedTo.partial.empty() ? PartialKind::sum : from.partialKind;
  if (placedFrom == placedTo)
    return {};
  if (std::optional<AxisAtoms> atoms = AxisAtoms::of({placedFrom, placedTo})) {
    ReshardState start = atoms->state(placedFrom), end = atoms->state(placedTo);
    int64_t cap = limits.maxBlockBytes;
    if (cap != 0)
      cap = std::max({cap, atoms->blockBytes(type, start), atoms->blockBytes(type, end)});
    Search search(type, *atoms, start, end, cap);
    if (std::optional<int> found = search.run())
      return search.pathTo(*found);
  }
  return pathThroughWhole(type, placedFrom, placedTo);
}

const ReshardPath &ReshardPaths::find(RankedTensorType type, const TensorSharding &from,
                                      const TensorSharding &to) {
  std::vector<int64_t> key(type.getShape());
  key.push_back(int64_t(reinterpret_cast<uintptr_t>(type.getElementType().getAsOpaquePointer())));
  for (const TensorSharding *end : {&from, &to}) {
    auto add = [&](AxisListRef axes) {
      key.push_back(axes.size());
      for (Axis axis : axes)
        llvm::append_values(key, int64_t(axis.index), axis.preSize, axis.size);
    };
    for (const DimSharding &dim : end->dims)
      add(dim.axes);
    add(end->partial);
    key.push_back(int64_t(end->partialKind));
  }
  auto [entry, isNew] = known.try_emplace(std::move(key));
  if (isNew)
    entry->second = findReshardPath(type, from, to);
  return entry->second;
}

} // namespace sheaf::sharding
