// Cuts the dims of a value down to what one rank holds.
#include "runtime/core/sharding.h"

#include <algorithm>

namespace sheaf::rt {

std::string Sharding::str(const Mesh &mesh) const {
  std::string text = "[";
  for (size_t dim = 0; dim < globalDims.size(); ++dim) {
    text += (dim ? ", " : "") + std::to_string(globalDims[dim]);
    if (!isCut() || cuts[dim].empty())
      continue;
    text += "{" + mesh.text(cuts[dim]) + "}";
  }
  return text + "]";
}

static int64_t partCoordinate(const AxisPart &part, const Mesh &mesh,
                              std::span<const int64_t> coordinates) {
  auto axis = static_cast<size_t>(part.axis);
  return abi::partCoordinate(coordinates[axis], mesh.axes()[axis].size, part.preSize, part.size);
}

ShardBox shardBox(const Sharding &sharding, const Mesh &mesh,
                  std::span<const int64_t> coordinates) {
  ShardBox box;
  for (size_t dim = 0; dim < sharding.globalDims.size(); ++dim) {
    abi::Shard shard = abi::Shard::whole(sharding.globalDims[dim]);
    if (sharding.isCut())
      for (const AxisPart &part : sharding.cuts[dim])
        shard = shard.part(part.size, partCoordinate(part, mesh, coordinates));
    box.push_back(shard);
  }
  return box;
}

bool isFirstHolder(const Sharding &sharding, const Mesh &mesh,
                   std::span<const int64_t> coordinates) {
  // What is left of each coordinate without the digits that cut the value.
  std::vector<int64_t> rest(coordinates.begin(), coordinates.end());
  for (const std::vector<AxisPart> &parts : sharding.cuts)
    for (const AxisPart &part : parts) {
      auto axis = static_cast<size_t>(part.axis);
      rest[axis] -= partCoordinate(part, mesh, coordinates) *
                    (mesh.axes()[axis].size / (part.preSize * part.size));
    }
  return std::all_of(rest.begin(), rest.end(), [](int64_t digits) { return digits == 0; });
}

std::vector<int64_t> blockDims(const ShardBox &box) {
  std::vector<int64_t> dims;
  for (const abi::Shard &shard : box)
    dims.push_back(shard.block);
  return dims;
}

bool hasPadding(const ShardBox &box) {
  for (const abi::Shard &shard : box)
    if (shard.extent != shard.block)
      return true;
  return false;
}

} // namespace sheaf::rt
