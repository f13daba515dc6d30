// Hashes blocks and compares the hashes of equal boxes.
#include "runtime/launch/training/replica_check.h"

#include "runtime/core/fingerprint.h"
#include "runtime/io/checkpoint/box_overlap.h"

#include <algorithm>

namespace sheaf::rt::launch {
namespace {

/// Only elements count: padding has no defined value.
uint64_t hashOf(const std::byte *data, const ShardBox &box, int64_t elementBytes) {
  Fingerprint print;
  (void)io::BoxOverlap(box, io::withoutPadding(box), elementBytes)
      .forEachRun([&](int64_t from, int64_t, int64_t bytes) {
        print.add(std::string_view(reinterpret_cast<const char *>(data + from),
                                   static_cast<size_t>(bytes)));
        return Status();
      });
  return print.value();
}

/// The variables that are compared: those with a value in memory.
std::vector<uint32_t> comparedVariables(const Executable &executable, const Variables &variables) {
  std::vector<uint32_t> compared;
  for (uint32_t i = 0; i < executable.variables().size(); ++i)
    if (const VariableInfo &info = executable.variables()[i];
        info.isSaved() && !info.isPacked && variables.data(i))
      compared.push_back(i);
  return compared;
}

/// The first rank and one that holds another copy of what it holds; none: all copies are equal. `hashAt` is the hash of
/// each rank.
template <typename HashAt>
std::optional<std::pair<int, int>> findDifference(const Sharding &sharding, const Mesh &mesh,
                                                  int numRanks, HashAt hashAt) {
  std::vector<std::pair<ShardBox, int>> holders; // The first of each box.
  for (int rank = 0; rank < numRanks; ++rank) {
    ShardBox box = io::withoutPadding(shardBox(sharding, mesh, mesh.coordinatesOf(rank)));
    if (io::elementsOf(box) == 0)
      continue;
    auto known = std::find_if(holders.begin(), holders.end(),
                              [&](const auto &holder) { return holder.first == box; });
    if (known == holders.end())
      holders.emplace_back(std::move(box), rank);
    else if (hashAt(rank) != hashAt(known->second))
      return std::pair(known->second, rank);
  }
  return std::nullopt;
}

/// The hashes of a rank's blocks of the variables that are compared.
Result<std::vector<uint64_t>> hashBlocks(const Executable &executable, const Variables &variables,
                                         const std::vector<uint32_t> &compared, int rank) {
  std::vector<int64_t> coordinates = executable.mesh().coordinatesOf(rank);
  std::vector<uint64_t> hashes;
  for (uint32_t index : compared) {
    const VariableInfo &info = executable.variables()[index];
    ShardBox box = shardBox(info.sharding, executable.mesh(), coordinates);
    Status status = variables.read(index, info.bytes, [&](const std::byte *data) {
      hashes.push_back(hashOf(data, box, info.shape.elementBytes()));
      return Status();
    });
    if (!status.isOk())
      return std::move(status).annotated("variable \"", info.name(), "\"");
  }
  return hashes;
}

} // namespace

Status checkReplicas(const Executable &executable, const Variables &variables,
                     Agreement &agreement) {
  const Mesh &mesh = executable.mesh();
  std::vector<uint32_t> compared = comparedVariables(executable, variables);
  auto own = hashBlocks(executable, variables, compared, agreement.rank());
  if (!own.isOk())
    return own.takeStatus();
  auto all = agreement.gather(std::span<const uint64_t>(*own));
  if (!all.isOk())
    return all.takeStatus();
  std::string first;
  size_t numDifferent = 0;
  for (size_t i = 0; i < compared.size(); ++i) {
    const VariableInfo &info = executable.variables()[compared[i]];
    auto different = findDifference(info.sharding, mesh, agreement.size(), [&](int rank) {
      return (*all)[static_cast<size_t>(rank) * compared.size() + i];
    });
    if (!different)
      continue;
    if (++numDifferent == 1)
      first = "copies of variable \"" + std::string(info.name()) + "\" on ranks " +
              std::to_string(different->first) + " and " + std::to_string(different->second) +
              " differ";
  }
  if (numDifferent == 0)
    return {};
  return Status::failed(first, numDifferent == 1
                                   ? std::string()
                                   : ", and of " + std::to_string(numDifferent - 1) + " more");
}

} // namespace sheaf::rt::launch
