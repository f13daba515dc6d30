// Where the elements of whole tensors lie in the fused and cut tensor that one Megatron rank holds.
#ifndef SHEAF_TOOLS_SHARD_CKPT_MEGATRON_LAYOUT_H
#define SHEAF_TOOLS_SHARD_CKPT_MEGATRON_LAYOUT_H

#include "runtime/core/buffer_shape.h"
#include "tools/shard-ckpt/megatron_rules.h"

#include <span>

namespace sheaf::shard_ckpt {

/// A tensor that is fused of parts: along one dim it is `groups` runs, each of them a piece of every part in turn,
/// and each rank has a number of whole runs. So each rank has whole heads with their keys and values, and both halves
/// of its gated units.
class MegatronLayout {
public:
  /// From whole parts, as they are stored. Errors: they do not have the shares of the rule, or can't be cut.
  static rt::Result<MegatronLayout>
  ofParts(const MegatronRule &rule, std::span<const rt::BufferShape> parts, int64_t numRanks);
  /// From what each rank holds.
  static rt::Result<MegatronLayout> ofRank(const MegatronRule &rule, const rt::BufferShape &local,
                                           int64_t numRanks);

  /// Of one rank's tensor.
  rt::BufferShape localShape() const;
  /// Of a whole part, as it is stored.
  rt::BufferShape partShape(size_t part) const;

  /// Copies the elements of `rank` between its tensor and the whole parts.
  void toRank(int64_t rank, std::span<const std::byte *const> parts, std::byte *local) const;
  void fromRank(int64_t rank, const std::byte *local, std::span<std::byte *const> parts) const;

private:
  rt::Status check() const;
  /// Calls `visit(part, offset in the part, offset in the local tensor, bytes)` for all that `rank` holds.
  template <typename Visit> void forEachRun(int64_t rank, Visit visit) const;
  int64_t transposedPlace(size_t part, int64_t o, int64_t c, int64_t i) const;
  int64_t extentOf(size_t part) const { return unit * shares[part]; }

  abi::ElementType type{};
  std::vector<int64_t> dims; ///< of all ranks together, in Megatron's order
  std::vector<int64_t> shares;
  std::optional<size_t> dim;
  bool isTransposed = false;
  int64_t groups = 1, numRanks = 1;
  int64_t unit = 0; ///< elements along `dim` of one share
};

} // namespace sheaf::shard_ckpt

#endif // SHEAF_TOOLS_SHARD_CKPT_MEGATRON_LAYOUT_H
