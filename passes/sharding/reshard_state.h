// Shardings in terms of indivisible parts of axes, for searches over them.
#ifndef SHEAF_PASSES_SHARDING_RESHARD_STATE_H
#define SHEAF_PASSES_SHARDING_RESHARD_STATE_H

#include "dialects/dist/tensor_sharding.h"

namespace sheaf::sharding {

/// A sharding by atoms.
struct ReshardState {
  /// Per dim, major first.
  llvm::SmallVector<llvm::SmallVector<unsigned, 4>, 4> dims;
  /// In ascending order.
  llvm::SmallVector<unsigned, 4> partial;

  bool uses(unsigned atom) const;
  std::vector<unsigned> key() const;
  friend bool operator==(const ReshardState &, const ReshardState &) = default;
};

/// The parts of axes that some shardings have in common: each of their axes is a run of atoms.
class AxisAtoms {
public:
  /// None when axes are cut in ways that have no common refinement, such as into 2 x 3 and 3 x 2.
  static std::optional<AxisAtoms> of(llvm::ArrayRef<dist::TensorSharding> shardings);

  size_t size() const { return atoms.size(); }
  ReshardState state(const dist::TensorSharding &sharding) const;
  /// With the partial kind of the shardings given to `of`.
  dist::TensorSharding sharding(const ReshardState &state) const;
  dist::AxisList axes(llvm::ArrayRef<unsigned> list) const;
  /// The sizes of the axes of a list.
  llvm::SmallVector<int64_t> sizes(llvm::ArrayRef<unsigned> list) const;
  int64_t blockBytes(mlir::RankedTensorType type, const ReshardState &state) const;

  /// What of `wanted` comes after `list`, if `wanted` begins with it; else nothing.
  llvm::ArrayRef<unsigned> missing(llvm::ArrayRef<unsigned> list,
                                   llvm::ArrayRef<unsigned> wanted) const;
  /// A state of the same blocks as `state` whose dims begin as those of `target`, or are what those
  /// begin with. None when sizes don't allow it.
  std::optional<ReshardState> rearranged(const ReshardState &state,
                                         const ReshardState &target) const;

private:
  llvm::SmallVector<dist::Axis> atoms;
  dist::PartialKind partialKind = dist::PartialKind::sum;
};

} // namespace sheaf::sharding

#endif
