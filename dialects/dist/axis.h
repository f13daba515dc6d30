// Axes of a device mesh, parts of them, and ordered lists of both: the algebra of shardings.
#ifndef SHEAF_DIALECTS_DIST_AXIS_H
#define SHEAF_DIALECTS_DIST_AXIS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <utility>

namespace sheaf::dist {

/// No mesh has more.
inline constexpr int64_t kMaxDevices = int64_t(1) << 20;

/// A mesh axis or a part of it.
///
/// A coordinate along a mesh axis of extent n is a number with digits in mixed radix; a part is a
/// run of neighbouring digits: those with weight below n / preSize, down to n / (preSize * size).
/// The whole axis has `preSize` 1 and `size` n. In text a part is `"x":(preSize)size`.
struct Axis {
  /// Position in the mesh.
  unsigned index = 0;
  /// The product of the extents of the digits before this part.
  int64_t preSize = 1;
  /// How many parts this cuts a dim into, at least 1.
  int64_t size = 1;

  /// The `preSize` of the part that comes next.
  int64_t end() const { return preSize * size; }
  /// Whether the two cannot cut a tensor together: they hold a common digit, or no choice of radixes
  /// makes both runs of digits.
  bool overlaps(Axis other) const {
    return index == other.index && other.preSize % end() != 0 && preSize % other.end() != 0;
  }
  /// Whether `other` is a part of this one.
  bool contains(Axis other) const {
    return index == other.index && other.preSize % preSize == 0 && end() % other.end() == 0;
  }
  /// Whether this one and `next` together are one part.
  bool isFollowedBy(Axis next) const { return index == next.index && end() == next.preSize; }

  friend bool operator==(Axis lhs, Axis rhs) {
    return lhs.index == rhs.index && lhs.preSize == rhs.preSize && lhs.size == rhs.size;
  }
};

/// Axes that cut one dim, major first. Canonical: no neighbours that are one part, no axis of size 1.
using AxisList = llvm::SmallVector<Axis, 4>;
using AxisListRef = llvm::ArrayRef<Axis>;

/// The product of the sizes.
int64_t sizeOf(AxisListRef axes);
/// Appends `axis` so that a canonical list stays one.
void append(AxisList &list, Axis axis);
/// `lhs` followed by `rhs`, canonical.
AxisList concat(AxisListRef lhs, AxisListRef rhs);

/// The longest list that both begin with; it may end within an axis of either.
AxisList commonPrefix(AxisListRef lhs, AxisListRef rhs);
/// What follows `prefix` in `list`; none if `list` does not begin with it.
std::optional<AxisList> dropPrefix(AxisListRef list, AxisListRef prefix);
/// Whether `list` begins with `prefix`.
bool startsWith(AxisListRef list, AxisListRef prefix);
/// Cuts `list` in two, the first part of size `size`, through an axis where needed; none if no cut
/// gives that size.
std::optional<std::pair<AxisList, AxisList>> splitAt(AxisListRef list, int64_t size);
/// The longest beginning of `list` whose size divides `extent`.
AxisList prefixDividing(AxisListRef list, int64_t extent);

/// Whether some axis of `lhs` overlaps one of `rhs`.
bool overlaps(AxisListRef lhs, AxisListRef rhs);
/// The longest beginning of `list` that does not overlap `others`.
AxisList prefixWithout(AxisListRef list, AxisListRef others);
/// What of `list` is not in `others`, in its order.
AxisList difference(AxisListRef list, AxisListRef others);

} // namespace sheaf::dist

#endif
