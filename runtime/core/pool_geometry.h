// The geometry of pooling, the same wherever the channels lie. Device code includes this too.
#ifndef SHEAF_RUNTIME_CORE_POOL_GEOMETRY_H
#define SHEAF_RUNTIME_CORE_POOL_GEOMETRY_H

#include "runtime/core/tap_range.h"

#include <array>
#include <limits>

namespace sheaf::rt {

enum class PoolKind : int32_t { max, sum, averageInclude, averageExclude };

/// A tensor as `planes` of three space dims; each place of a plane is `lanes` neighbouring elements.
struct PoolTensor {
  int64_t batchStep = 0,
          groupStep = 0; ///< bytes from one n, and from one group of channels, to the next
  std::array<int64_t, 3> space{}, steps{}; ///< extents and bytes
};

/// Pooling over groups of channels that lie side by side.
struct PoolGeometry {
  PoolKind kind = PoolKind::max;
  int64_t numBatch = 0, numGroups = 0, lanes = 1;
  PoolTensor in, out;
  std::array<int64_t, 3> window{}, strides{}, dilations{}, low{}, countHigh{};

  constexpr int64_t start(int dim, int64_t place) const { return place * strides[dim] - low[dim]; }

  /// The places of the window of `place` that are inside the input.
  constexpr TapRange taps(int dim, int64_t place) const {
    return tapsInside(start(dim, place), in.space[dim], window[dim], dilations[dim]);
  }

  constexpr bool isAverage() const {
    return kind == PoolKind::averageInclude || kind == PoolKind::averageExclude;
  }

  /// How many places of the window count along `dim`.
  constexpr int64_t counted(int dim, int64_t place) const {
    TapRange range = taps(dim, place);
    if (kind == PoolKind::averageInclude)
      range = tapsInside(start(dim, place) + low[dim], in.space[dim] + low[dim] + countHigh[dim],
                         window[dim], dilations[dim]);
    return range.end - range.begin;
  }

  /// What the sum of a window is divided by.
  constexpr int64_t divisor(int64_t z, int64_t y, int64_t x) const {
    // An empty window has the sum 0, which any divisor keeps.
    return isAverage() ? std::max<int64_t>(1, counted(0, z) * counted(1, y) * counted(2, x)) : 1;
  }
};

/// The maximum of nothing.
template <typename W> constexpr W lowestOf() {
  return std::numeric_limits<W>::has_infinity ? -std::numeric_limits<W>::infinity()
                                              : std::numeric_limits<W>::lowest();
}

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_POOL_GEOMETRY_H
