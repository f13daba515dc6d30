// How a value is cut among ranks, and the box of it that one rank holds.
#ifndef SHEAF_RUNTIME_CORE_SHARDING_H
#define SHEAF_RUNTIME_CORE_SHARDING_H

#include "runtime/abi/shard.h"
#include "runtime/core/mesh.h"

namespace sheaf::rt {

/// The whole value, and along which parts of mesh axes, major first, each of its dims is cut.
struct Sharding {
  std::vector<int64_t> globalDims;
  std::vector<std::vector<AxisPart>> cuts = {}; ///< per dim; empty when every rank holds all of it

  bool isCut() const { return !cuts.empty(); }
  /// "[8{data}, 4{tensor:(2)4}]", for messages: the parts stand after the dim that they cut.
  std::string str(const Mesh &mesh) const;

  friend bool operator==(const Sharding &, const Sharding &) = default;
};

/// Per dim what the rank at `coordinates` of `mesh` holds.
using ShardBox = std::vector<abi::Shard>;

ShardBox shardBox(const Sharding &sharding, const Mesh &mesh, std::span<const int64_t> coordinates);

/// Whether the rank at `coordinates` is the first of those that hold the same box.
bool isFirstHolder(const Sharding &sharding, const Mesh &mesh,
                   std::span<const int64_t> coordinates);

/// The dims of the memory that holds `box`.
std::vector<int64_t> blockDims(const ShardBox &box);

/// True when some dim of the memory has room that no element of the value fills.
bool hasPadding(const ShardBox &box);

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_SHARDING_H
