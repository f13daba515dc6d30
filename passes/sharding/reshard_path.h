// The cheapest way from one sharding to another.
#ifndef SHEAF_PASSES_SHARDING_RESHARD_PATH_H
#define SHEAF_PASSES_SHARDING_RESHARD_PATH_H

#include "dialects/dist/tensor_sharding.h"
#include <map>

namespace sheaf::sharding {

/// One collective of a reshard, on blocks.
struct ReshardStep {
  enum class Kind { slice, allGather, allToAll, permute, reduceScatter, allReduce };
  Kind kind;
  /// Along which the ranks of a group are counted; of a permute, where the blocks were.
  dist::AxisList axes;
  /// Of a permute, where the blocks go.
  dist::AxisList to;
  /// The dim that is gathered, cut or scattered.
  unsigned dim = 0;
  /// Of an all_to_all, the dim that is cut.
  unsigned splitDim = 0;
  /// Where the tensor lives after the step.
  dist::TensorSharding result;
};

/// The steps and what they cost.
struct ReshardPath {
  std::vector<ReshardStep> steps;
  /// Bytes that each rank sends: (n-1)/n of what is gathered or scattered, twice that for an
  /// all_reduce, the block for a permute (shared/formulas: ring wire).
  double sentBytes = 0;
};

/// What a search may do.
struct ReshardLimits {
  /// Steps whose result is larger than this, and than both ends, are not taken; 0 is no limit.
  int64_t maxBlockBytes = 0;
};

/// The steps from `from` to `to` that send the fewest bytes, then the fewest steps, then the first in
/// a fixed order. `to` is partial along no axes that `from` is not. Where extents do not divide, only
/// steps between equal blocks are taken.
///
/// Algorithm: Dijkstra's over shardings by the axes, split where either end splits them; bounded, and
/// what is beyond goes through the whole tensor.
ReshardPath findReshardPath(mlir::RankedTensorType type, const dist::TensorSharding &from,
                            const dist::TensorSharding &to, const ReshardLimits &limits = {});

/// Whether cutting a dim into blocks along lists of these sizes gives every rank the same elements.
bool areSameBlocks(int64_t extent, llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs);

/// Finds paths once each.
class ReshardPaths {
public:
  const ReshardPath &find(mlir::RankedTensorType type, const dist::TensorSharding &from,
                          const dist::TensorSharding &to);

private:
  std::map<std::vector<int64_t>, ReshardPath> known;
};

} // namespace sheaf::sharding

#endif
