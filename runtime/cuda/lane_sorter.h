// Sorts entries of lanes on the GPU; what sorts and scatters share.
#ifndef SHEAF_RUNTIME_CUDA_LANE_SORTER_H
#define SHEAF_RUNTIME_CUDA_LANE_SORTER_H

#include "runtime/cuda/elementwise.h"
#include "runtime/cuda/kernels/sort_entry.h"

#include <algorithm>

namespace sheaf::rt::cuda {

/// Orders the entries of each lane of a tensor by key, then place, in memory that is given. As many lanes at a time as
/// fit into a bounded piece of it.
class LaneSorter {
public:
  /// For `numLanes` lanes of `extent` elements; neither is 0.
  static Result<LaneSorter> find(CudaCallSite &site, int64_t numLanes, int64_t extent);

  /// Of the entries.
  size_t scratchBytes() const {
    return static_cast<size_t>(numEntries(lanesAtOnce)) * sizeof(SortEntry);
  }
  /// The most entries that there are at a time.
  int64_t maxEntries() const { return numEntries(lanesAtOnce); }

  /// For each batch of lanes: calls `make(lanes, entries)`, which writes all entries, sorts them, and calls
  /// `use(lanes, entries)`. Both put work into the stream and return a Status.
  template <typename Make, typename Use>
  Status run(std::byte *scratch, const Make &make, const Use &use) const {
    auto *entries = reinterpret_cast<SortEntry *>(scratch);
    for (int64_t first = 0; first < numLanes; first += lanesAtOnce) {
      int64_t count = std::min(lanesAtOnce, numLanes - first);
      SortLanes lanes{first, count, extent, padded, numEntries(count)};
      if (Status status = make(lanes, entries); !status.isOk())
        return status;
      if (Status status = sort(lanes, entries); !status.isOk())
        return status;
      if (Status status = use(lanes, entries); !status.isOk())
        return status;
    }
    return {};
  }

private:
  LaneSorter(int64_t numLanes, int64_t extent, const Elementwise &tiles, const Elementwise &pairs);

  int64_t numEntries(int64_t lanes) const {
    return (lanes * padded + sortTile - 1) / sortTile * sortTile;
  }
  Status sort(const SortLanes &lanes, SortEntry *entries) const;

  int64_t numLanes, extent, padded, lanesAtOnce;
  Elementwise tiles, pairs;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_LANE_SORTER_H
