// Makes the groups of a rank when they are needed first, and keeps its ledger.
#include "runtime/core/place.h"

#include <numeric>

namespace sheaf::rt {

Result<std::unique_ptr<Place>> Place::create(Mesh mesh, Communicator *communicator) {
  int size = communicator ? communicator->size() : 1;
  if (mesh.numRanks() != size)
    return Status::invalid("the executable is for ", mesh.numRanks(),
                           mesh.numRanks() == 1 ? " rank" : " ranks",
                           mesh.axes().empty() ? "" : " (" + mesh.text() + ")", " but ", size,
                           size == 1 ? " runs" : " run", "; start ", mesh.numRanks());
  auto place = std::make_unique<Place>();
  place->rankMesh = std::move(mesh);
  place->communicator = communicator;
  return place;
}

Result<Group *> Place::group(std::span<const AxisPart> parts, uint32_t stream) {
  if (groupSize(parts) == 1)
    return nullptr;
  return groupOf(rankMesh.groupOf(rank(), parts), stream);
}

Result<Group *> Place::everyone(uint32_t stream) {
  if (rankMesh.numRanks() == 1)
    return nullptr;
  std::vector<int> ranks(static_cast<size_t>(rankMesh.numRanks()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return groupOf(std::move(ranks), stream);
}

size_t Place::ledgerLine(std::string_view collective, std::string_view axes) {
  std::lock_guard lock(ledgerMutex);
  return counted.line(collective, axes);
}

void Place::count(size_t ledgerLine, const abi::Traffic &traffic) {
  std::lock_guard lock(ledgerMutex);
  counted.add(ledgerLine, traffic);
}

Ledger Place::ledger() const {
  std::lock_guard lock(ledgerMutex);
  return counted;
}

void Place::clearLedger() {
  std::lock_guard lock(ledgerMutex);
  counted.clear();
}

Result<Group *> Place::groupOf(std::vector<int> ranks, uint32_t stream) {
  auto [entry, isNew] = groups.try_emplace({stream, std::move(ranks)});
  if (isNew) {
    Result<std::unique_ptr<Group>> made = communicator->makeGroup(entry->first.second, stream);
    if (!made.isOk()) {
      groups.erase(entry);
      return made.takeStatus();
    }
    entry->second = std::move(*made);
  }
  return entry->second.get();
}

} // namespace sheaf::rt
