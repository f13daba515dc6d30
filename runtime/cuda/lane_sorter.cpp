// Launches the steps of a bitonic sorting network.
//
// Source: Batcher, "Sorting networks and their applications", AFIPS 1968. A run of r entries is made of two of r / 2 by
// log2 r steps; those between entries of one tile happen in the memory of a block, in one launch.
#include "runtime/cuda/lane_sorter.h"

#include <bit>

namespace sheaf::rt::cuda {
namespace {

/// What entries of several lanes may take together.
constexpr int64_t maxScratchEntries = int64_t(1) << 22;

} // namespace

LaneSorter::LaneSorter(int64_t numLanes, int64_t extent, const Elementwise &tiles,
                       const Elementwise &pairs)
    : numLanes(numLanes), extent(extent),
      padded(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(extent)))),
      lanesAtOnce(std::clamp(maxScratchEntries / padded, int64_t(1), numLanes)), tiles(tiles),
      pairs(pairs) {}

Result<LaneSorter> LaneSorter::find(CudaCallSite &site, int64_t numLanes, int64_t extent) {
  int64_t numElements = numLanes * extent;
  Result<Elementwise> tiles = Elementwise::find(site, "sort", "sort_tiles", numElements);
  if (!tiles.isOk())
    return tiles.takeStatus();
  Result<Elementwise> pairs = Elementwise::find(site, "sort", "sort_pairs", numElements);
  if (!pairs.isOk())
    return pairs.takeStatus();
  return LaneSorter(numLanes, extent, *tiles, *pairs);
}

Status LaneSorter::sort(const SortLanes &lanes, SortEntry *entries) const {
  int64_t firstRun = 2, lastRun = std::min(padded, sortTile);
  if (Status status = tiles(lanes, firstRun, lastRun, entries); !status.isOk())
    return status;
  for (int64_t run = 2 * sortTile; run <= padded; run *= 2) {
    for (int64_t distance = run / 2; distance >= sortTile; distance /= 2)
      if (Status status = pairs(lanes, run, distance, entries); !status.isOk())
        return status;
    if (Status status = tiles(lanes, run, run, entries); !status.isOk())
      return status;
  }
  return {};
}

} // namespace sheaf::rt::cuda
