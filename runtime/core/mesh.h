// The mesh of an executable: named axes, and which rank is at each place of it.
#ifndef SHEAF_RUNTIME_CORE_MESH_H
#define SHEAF_RUNTIME_CORE_MESH_H

#include "runtime/abi/executable_generated.h"
#include "runtime/core/status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sheaf::rt {

/// No mesh has more ranks.
inline constexpr int64_t maxRanks = int64_t(1) << 20;

/// A run of digits of a mesh axis (runtime/abi/shard.h).
struct AxisPart {
  int64_t axis = 0; ///< index into the axes of the mesh
  int64_t preSize = 1;
  int64_t size = 1;

  friend bool operator==(const AxisPart &, const AxisPart &) = default;
};

/// Places are the coordinates along the axes; each has a rank. The default is one rank and no axis.
///
/// Lists of parts are major first. All but `check` take only lists that it has found good.
class Mesh {
public:
  struct Axis {
    std::string name;
    int64_t size;
  };

  Mesh() = default;

  /// The mesh of a file of unknown origin. Errors: an axis without ranks or name, two of one name, more than `maxRanks`
  /// ranks, an order of devices that leaves one out.
  static Result<Mesh> read(const abi::Executable &executable);

  std::span<const Axis> axes() const { return axisList; }
  int numRanks() const { return count; }

  /// Errors: a part names no axis, or digits that its axis does not have, or those of another part.
  Status check(std::span<const AxisPart> parts) const;

  /// Along each axis, of a rank below numRanks().
  std::vector<int64_t> coordinatesOf(int rank) const;

  /// The number of ranks that differ in `parts` only.
  int64_t groupSize(std::span<const AxisPart> parts) const;
  /// The place of `rank` among them.
  int64_t groupIndex(int rank, std::span<const AxisPart> parts) const;
  /// The ranks that differ from `rank` in `parts` only, in their order.
  std::vector<int> groupOf(int rank, std::span<const AxisPart> parts) const;

  /// "data,tensor:(2)4": as the compiler writes them.
  std::string text(std::span<const AxisPart> parts) const;
  /// "data=2, tensor=4".
  std::string text() const;
  /// "rank 3 (data=1, tensor=1)".
  std::string rankText(int rank) const;

private:
  int rankAt(std::span<const int64_t> coordinates) const;

  std::vector<Axis> axisList;
  int count = 1;
  std::vector<int> ranks;  ///< at each place, row-major; empty: place i is rank i
  std::vector<int> places; ///< of each rank; empty the same
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_MESH_H
