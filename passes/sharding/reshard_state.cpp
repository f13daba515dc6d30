// Splits axes into atoms, and arranges atoms.
#include "passes/sharding/reshard_state.h"

#include "dialects/support/stored_size.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

using namespace mlir;
using namespace sheaf::dist;

namespace sheaf::sharding {

bool ReshardState::uses(unsigned atom) const {
  return llvm::is_contained(partial, atom) ||
         llvm::any_of(dims, [&](ArrayRef<unsigned> dim) { return llvm::is_contained(dim, atom); });
}

std::vector<unsigned> ReshardState::key() const {
  std::vector<unsigned> key;
  for (ArrayRef<unsigned> list : dims) {
    key.push_back(list.size());
    llvm::append_range(key, list);
  }
  llvm::append_range(key, partial);
  return key;
}

std::optional<AxisAtoms> AxisAtoms::of(ArrayRef<TensorSharding> shardings) {
  // Where axes begin and end, per mesh axis, as products of sizes from the major end.
  std::map<unsigned, std::set<int64_t>> bounds;
  SmallVector<Axis> used;
  AxisAtoms result;
  for (const TensorSharding &sharding : shardings) {
    llvm::append_range(used, sharding.usedAxes());
    if (!sharding.partial.empty())
      result.partialKind = sharding.partialKind;
  }
  for (Axis axis : used)
    bounds[axis.index].insert({axis.preSize, axis.end()});
  for (auto &[index, all] : bounds) {
    auto next = std::next(all.begin());
    for (auto bound = all.begin(); next != all.end(); ++bound, ++next) {
      if (*next % *bound != 0)
        return std::nullopt;
      Axis atom{index, *bound, *next / *bound};
      if (overlaps(atom, used))
        result.atoms.push_back(atom);
    }
  }
  return result;
}

ReshardState AxisAtoms::state(const TensorSharding &sharding) const {
  ReshardState state;
  auto add = [&](AxisListRef axes, SmallVectorImpl<unsigned> &list) {
    for (Axis axis : axes)
      for (auto [index, atom] : llvm::enumerate(atoms)) // Of one axis, the major ones come first.
        if (axis.contains(atom))
          list.push_back(index);
  };
  for (const DimSharding &dim : sharding.dims)
    add(dim.axes, state.dims.emplace_back());
  add(sharding.partial, state.partial);
  llvm::sort(state.partial);
  return state;
}

TensorSharding AxisAtoms::sharding(const ReshardState &state) const {
  TensorSharding result = TensorSharding::whole(state.dims.size());
  for (auto [list, dim] : llvm::zip_equal(state.dims, result.dims))
    dim.axes = axes(list);
  result.partial = axes(state.partial);
  result.partialKind = state.partial.empty() ? PartialKind::sum : partialKind;
  return result;
}

AxisList AxisAtoms::axes(ArrayRef<unsigned> list) const {
  AxisList result;
  for (unsigned atom : list)
    append(result, atoms[atom]);
  return result;
}

SmallVector<int64_t> AxisAtoms::sizes(ArrayRef<unsigned> list) const {
  return llvm::map_to_vector(axes(list), [](Axis axis) { return axis.size; });
}

int64_t AxisAtoms::blockBytes(RankedTensorType type, const ReshardState &state) const {
  return memoryBytes(blockTypeOf(type, sharding(state))).value_or(0);
}

ArrayRef<unsigned> AxisAtoms::missing(ArrayRef<unsigned> list, ArrayRef<unsigned> wanted) const {
  if (list.size() > wanted.size() || wanted.take_front(list.size()) != list)
    return {};
  return wanted.drop_front(list.size());
}

std::optional<ReshardState> AxisAtoms::rearranged(const ReshardState &state,
                                                  const ReshardState &target) const {
  ReshardState next = state;
  SmallVector<int64_t> left;
  std::set<unsigned> taken(state.partial.begin(), state.partial.end());
  // Each dim takes what the target has there, as much as its size allows.
  for (auto [list, wanted, from] : llvm::zip_equal(next.dims, target.dims, state.dims)) {
    int64_t size = sizeOf(axes(from));
    list.clear();
    for (unsigned atom : wanted) {
      if (size % atoms[atom].size != 0 || llvm::is_contained(taken, atom))
        break;
      list.push_back(atom);
      taken.insert(atom);
      size /= atoms[atom].size;
    }
    left.push_back(size);
  }
  // The rest is filled with the axes that dims have now, those of the same dim first.
  for (auto [list, from, size] : llvm::zip_equal(next.dims, state.dims, left))
    for (bool ownOnly : {true, false})
      for (unsigned atom = 0; atom < atoms.size(); ++atom)
        if (size % atoms[atom].size == 0 && size > 1 && !llvm::is_contained(taken, atom) &&
            (ownOnly ? llvm::is_contained(from, atom) : state.uses(atom))) {
          list.push_back(atom);
          taken.insert(atom);
          size /= atoms[atom].size;
        }
  if (llvm::any_of(left, [](int64_t size) { return size != 1; }))
    return std::nullopt;
  return next;
}

} // namespace sheaf::sharding
