// Packs live ranges into one arena, and checks such packings.
#include "passes/analysis/arena_plan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <map>
#include <vector>

using namespace sheaf;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

constexpr int64_t maxArenaBytes = int64_t(1) << 62;

/// Finds placed ranges that overlap a range in time. A segment tree over the steps answers which
/// ranges are live at a step; a list per step, which ranges begin there.
class PlacedRanges {
public:
  explicit PlacedRanges(int64_t numSteps)
      : numLeaves(llvm::PowerOf2Ceil(std::max<int64_t>(numSteps, 1))), covering(2 * numLeaves),
        beginning(numLeaves) {}

  void insert(unsigned index, const LiveRange &range) {
    beginning[range.begin].push_back(index);
    int64_t low = range.begin + numLeaves, high = range.end + numLeaves + 1;
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1)
        covering[low++].push_back(index);
      if (high % 2 == 1)
        covering[--high].push_back(index);
    }
  }

  SmallVector<unsigned> overlapping(const LiveRange &range) const {
    SmallVector<unsigned> found;
    for (int64_t node = range.begin + numLeaves; node > 0; node /= 2)
      llvm::append_range(found, covering[node]);
    for (int64_t step = range.begin + 1; step <= range.end; ++step)
      llvm::append_range(found, beginning[step]);
    return found;
  }

private:
  int64_t numLeaves;
  std::vector<SmallVector<unsigned, 2>> covering, beginning;
};

/// The start of the tightest gap of at least `bytes` between the occupied spans, else their end.
int64_t tightestGap(SmallVector<std::pair<int64_t, int64_t>> &occupied, int64_t bytes) {
  llvm::sort(occupied);
  int64_t best = -1, bestSlack = 0, end = 0;
  for (auto [from, to] : occupied) {
    int64_t slack = from - end - bytes;
    if (slack >= 0 && (best < 0 || slack < bestSlack)) {
      best = end;
      bestSlack = slack;
    }
    end = std::max(end, to);
  }
  return best >= 0 ? best : end;
}

SmallVector<unsigned> largestFirst(ArrayRef<LiveRange> ranges) {
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, ranges.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::make_tuple(-ranges[a].bytes, ranges[a].begin, a) <
           std::make_tuple(-ranges[b].bytes, ranges[b].begin, b);
  });
  return order;
}

} // namespace

std::optional<ArenaPlan> sheaf::planArena(ArrayRef<LiveRange> ranges) {
  int64_t numSteps = 0;
  for (const LiveRange &range : ranges)
    numSteps = std::max(numSteps, range.end + 1);
  PlacedRanges placed(numSteps);
  ArenaPlan plan;
  plan.offsets.assign(ranges.size(), 0);
  for (unsigned index : largestFirst(ranges)) {
    const LiveRange &range = ranges[index];
    if (range.bytes == 0)
      continue;
    SmallVector<std::pair<int64_t, int64_t>> occupied;
    for (unsigned other : placed.overlapping(range))
      occupied.push_back(
          {plan.offsets[other],
           llvm::alignTo(plan.offsets[other] + ranges[other].bytes, ArenaPlan::alignment)});
    int64_t offset = tightestGap(occupied, range.bytes);
    if (offset > maxArenaBytes - range.bytes)
      return std::nullopt;
    plan.offsets[index] = offset;
    plan.bytes =
        std::max<int64_t>(plan.bytes, llvm::alignTo(offset + range.bytes, ArenaPlan::alignment));
    placed.insert(index, range);
  }
  return plan;
}

std::optional<std::pair<unsigned, unsigned>> sheaf::findClash(ArrayRef<LiveRange> ranges,
                                                              const ArenaPlan &plan) {
  // Sweeps over time with the live ranges ordered by offset: a new one clashes with a neighbour, or
  // with nothing.
  std::map<int64_t, SmallVector<unsigned>> begins, ends;
  for (auto [index, range] : llvm::enumerate(ranges)) {
    if (range.bytes == 0)
      continue;
    begins[range.begin].push_back(index);
    ends[range.end + 1].push_back(index);
  }
  std::map<int64_t, unsigned> live;
  for (auto &[step, starting] : begins) {
    while (!ends.empty() && ends.begin()->first <= step) {
      for (unsigned index : ends.begin()->second)
        live.erase(plan.offsets[index]);
      ends.erase(ends.begin());
    }
    for (unsigned index : starting) {
      int64_t offset = plan.offsets[index];
      auto next = live.lower_bound(offset);
      if (next != live.end() && next->first < offset + ranges[index].bytes)
        return std::make_pair(next->second, index);
      if (next != live.begin()) {
        auto [from, other] = *std::prev(next);
        if (from + ranges[other].bytes > offset)
          return std::make_pair(other, index);
      }
      live[offset] = index;
    }
  }
  return std::nullopt;
}

Peak sheaf::findPeak(ArrayRef<LiveRange> ranges) {
  using Bytes = __int128; // Sums of any number of sizes fit.
  std::map<int64_t, Bytes> change;
  for (const LiveRange &range : ranges) {
    change[range.begin] += range.bytes;
    change[range.end + 1] -= range.bytes;
  }
  Peak peak;
  Bytes now = 0, most = 0;
  for (auto [step, delta] : change)
    if ((now += delta) > most) {
      most = now;
      peak.step = step;
    }
  peak.bytes = static_cast<int64_t>(std::min<Bytes>(most, std::numeric_limits<int64_t>::max()));
  for (unsigned index : largestFirst(ranges))
    if (ranges[index].begin <= peak.step && peak.step <= ranges[index].end)
      peak.ranges.push_back(index);
  return peak;
}
