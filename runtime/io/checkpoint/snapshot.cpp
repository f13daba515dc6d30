// Copies what a rank saves.
#include "runtime/io/checkpoint/snapshot.h"

#include "runtime/core/utf8.h"
#include "runtime/io/checkpoint/box_overlap.h"

#include <algorithm>
#include <numeric>

namespace sheaf::rt::io {

Result<Snapshot> Snapshot::create(const Executable &executable, int rank) {
  Snapshot snapshot(executable, rank);
  std::vector<int64_t> coordinates = executable.mesh().coordinatesOf(rank);
  const std::vector<VariableInfo> &infos = executable.variables();
  std::vector<size_t> order(infos.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    int64_t aBytes = infos[a].shape.elementBytes(), bBytes = infos[b].shape.elementBytes();
    return aBytes != bBytes ? aBytes > bBytes : a < b;
  });
  for (size_t index : order) {
    const VariableInfo &variable = infos[index];
    if (!variable.isSaved())
      continue;
    if (!isUtf8(variable.name()) || variable.name() == "__metadata__")
      return Status::invalid("variable \"", variable.name(),
                             "\" can't be saved: safetensors files have no such name");
    ShardBox box = withoutPadding(shardBox(variable.sharding, executable.mesh(), coordinates));
    size_t bytes = static_cast<size_t>(elementsOf(box) * variable.shape.elementBytes());
    if (bytes == 0 || !isFirstHolder(variable.sharding, executable.mesh(), coordinates))
      continue;
    snapshot.blockList.push_back({variable.name(), variable.table->role(), variable.globalShape(),
                                  std::move(box), snapshot.count, bytes});
    snapshot.variables.push_back(index);
    snapshot.count += bytes;
  }
  Result<Memory> memory = allocateHostMemory(snapshot.count);
  if (!memory.isOk())
    return memory.takeStatus().annotated("the copy of the variables that is saved");
  snapshot.memory = std::move(*memory);
  return snapshot;
}

Status Snapshot::take(const Variables &state) {
  std::vector<int64_t> coordinates = executable->mesh().coordinatesOf(ownRank);
  for (size_t i = 0; i < blockList.size(); ++i) {
    const VariableInfo &variable = executable->variables()[variables[i]];
    auto takeFrom = [&](const std::byte *data) -> Status {
      takeBlock(i, {data, shardBox(variable.sharding, executable->mesh(), coordinates)});
      return {};
    };
    if (Status status = state.read(static_cast<uint32_t>(variables[i]), variable.bytes, takeFrom);
        !status.isOk())
      return std::move(status).annotated("variable \"", variable.name(), "\"");
  }
  return {};
}

void Snapshot::take(const Holder &holder) {
  for (size_t i = 0; i < blockList.size(); ++i)
    takeBlock(i, holder(variables[i]));
}

void Snapshot::takeBlock(size_t index, const HeldValue &held) {
  const SnapshotBlock &block = blockList[index];
  BoxOverlap(held.box, block.box, block.shape.elementBytes())
      .copy(held.data, memory.data() + block.offset);
}

} // namespace sheaf::rt::io
