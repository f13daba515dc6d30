// Where a rank stands among all: its place of the mesh, its groups, and what it moved between ranks.
#ifndef SHEAF_RUNTIME_CORE_PLACE_H
#define SHEAF_RUNTIME_CORE_PLACE_H

#include "runtime/core/communicator.h"
#include "runtime/core/ledger.h"
#include "runtime/core/mesh.h"

#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace sheaf::rt {

/// One rank of a mesh.
class Place {
public:
  /// The only rank of a mesh without axes.
  Place() = default;

  /// `communicator` must outlive the result; null: there are no other ranks. Errors: the mesh is for another number of
  /// ranks.
  static Result<std::unique_ptr<Place>> create(Mesh mesh, Communicator *communicator);

  const Mesh &mesh() const { return rankMesh; }
  int rank() const { return communicator ? communicator->rank() : 0; }

  /// Errors: see Mesh::check. The others take only parts that are good.
  Status check(std::span<const AxisPart> parts) const { return rankMesh.check(parts); }
  int64_t groupSize(std::span<const AxisPart> parts) const { return rankMesh.groupSize(parts); }
  /// This rank's place among the ranks that differ from it in `parts` only.
  int64_t groupIndex(std::span<const AxisPart> parts) const {
    return rankMesh.groupIndex(rank(), parts);
  }

  /// The group of those ranks, in their order, for one stream; null when this rank is alone. It is made when it is
  /// asked for first, so every rank asks for groups in the same order: that of the instructions.
  Result<Group *> group(std::span<const AxisPart> parts, uint32_t stream);
  /// The group of all ranks in order; null when this rank is alone.
  Result<Group *> everyone(uint32_t stream);

  /// Where the calls of one class of collective over `axes` (Mesh::text) are counted.
  size_t ledgerLine(std::string_view collective, std::string_view axes);
  /// Counts a call; streams may do so at the same time.
  void count(size_t ledgerLine, const abi::Traffic &traffic);
  /// What was counted since the start or the last `clearLedger`.
  Ledger ledger() const;
  void clearLedger();

private:
  Result<Group *> groupOf(std::vector<int> ranks, uint32_t stream);

  Mesh rankMesh;
  Communicator *communicator = nullptr;
  std::map<std::pair<uint32_t, std::vector<int>>, std::unique_ptr<Group>> groups;
  mutable std::mutex ledgerMutex;
  Ledger counted;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_PLACE_H
