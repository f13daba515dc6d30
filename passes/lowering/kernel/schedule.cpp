// Chooses which dim of a cluster's space vectors walk, and what is a unit of work.
#include "passes/lowering/kernel/schedule.h"

#include "passes/lowering/kernel/access_groups.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

// Elements of a unit of element-wise work: enough to pay for finding its place, few enough to split
// small tensors among threads.
static constexpr int64_t unitElements = 1024;
// Rows that are reduced side by side: many, so that memory is read in long runs, though their sums
// then don't all fit into registers; fewer when several sweeps go over them, so that they stay in the
// cache in between.
static constexpr int64_t lanesOfOneSweep = 1024;
static constexpr int64_t lanesOfSweeps = 2 * stepLanes;

namespace {

class Scheduler {
public:
  Scheduler(graph::ClusterOp cluster, const ClusterBuffers &buffers, const IterationSpace &space,
            ArrayRef<std::pair<Value, int64_t>> counted)
      : space(space), counted(counted), groups(cluster, buffers, space, counted),
        numOperands(groups.numOperands()), numBuffers(groups.numBuffers()) {
    isOneSweep = llvm::count_if(*cluster.getBodyBlock(),
                                [](Operation &op) { return isa<CombineOpInterface>(op); }) == 1;
  }

  Schedule run() {
    BitVector kept = space.reduced;
    SmallVector<AccessGroup> reduced = groups.collapse(space.reduced),
                             rows = groups.collapse(kept.flip());
    Schedule schedule;
    schedule.reducesLanes = isBestAmong(reduced, rows);
    schedule.walksLanes = schedule.reducesLanes || reduced.empty();
    SmallVector<AccessGroup> &withLane = schedule.reducesLanes ? reduced : rows;
    AccessGroup lane = groups.takeLane(withLane, vectorLanes);

    SmallVector<AccessGroup> units = rows, loops = reduced;
    std::optional<AccessGroup> tile;
    if (!space.hasReduction())
      tile = takeTile(units, lane);
    if (tile) {
      schedule.tileExtent = tile->extent;
      // Lines are read once and written once.
      schedule.tileBlock =
          elementsOfLine(*tile, llvm::to_vector(llvm::seq<unsigned>(0, numOperands)));
      schedule.tileLanes =
          elementsOfLine(lane, llvm::to_vector(llvm::seq<unsigned>(numOperands, numBuffers)));
    } else if (!space.hasReduction())
      moveSmallDims(units, loops, lane.extent);
    schedule.numUnitDims = units.size();
    schedule.laneBlock = chooseBlock(schedule, lane.extent);
    schedule.loopFactors = groups.factorsOf(loops);
    if (tile)
      schedule.loopFactors |= groups.factorsOf(*tile);
    schedule.laneFactors = groups.factorsOf(lane);

    SmallVector<AccessGroup> all = units;
    all.append(loops);
    all.push_back(lane);
    fill(schedule, all, tile);
    return schedule;
  }

private:
  bool isBestAmong(ArrayRef<AccessGroup> reduced, ArrayRef<AccessGroup> rows) const {
    return !reduced.empty() &&
           groups.bestCost(reduced, vectorLanes) <= groups.bestCost(rows, vectorLanes);
  }

  /// Removes the dim along which operands lie that are far apart along the lanes; the one of most
  /// elements.
  std::optional<AccessGroup> takeTile(SmallVector<AccessGroup> &units,
                                      const AccessGroup &lane) const {
    int64_t most = 0;
    AccessGroup *best = nullptr;
    for (AccessGroup &group : units) {
      int64_t gained = 0;
      for (unsigned i = 0; i < numOperands; ++i)
        if (group.strides[i] == 1 && lane.strides[i] != 0 && lane.strides[i] != 1)
          gained += groups.numElements(i);
      if (gained > most && std::min(group.extent, lane.extent) >= vectorLanes / 2) {
        most = gained;
        best = &group;
      }
    }
    if (!best)
      return std::nullopt;
    AccessGroup tile = *best;
    units.erase(units.begin() + (best - units.data()));
    return tile;
  }

  /// The elements that make a line of the cache, at least a vector, of the smallest elements that
  /// one of `buffers` holds contiguous along `group`.
  int64_t elementsOfLine(const AccessGroup &group, ArrayRef<unsigned> buffers) const {
    int64_t count = vectorLanes;
    for (unsigned i : buffers)
      if (group.strides[i] == 1)
        count = std::max(count, cacheLineBytes / groups.elementBytes(i));
    return count;
  }

  /// Makes loops of inner unit dims, until a unit is large enough to pay for finding its place.
  static void moveSmallDims(SmallVector<AccessGroup> &units, SmallVector<AccessGroup> &loops,
                            int64_t lanes) {
    int64_t size = lanes;
    while (!units.empty() && units.back().extent > 0 && size < unitElements &&
           size * units.back().extent <= 4 * unitElements) {
      size *= units.back().extent;
      loops.insert(loops.begin(), units.pop_back_val());
    }
  }

  int64_t chooseBlock(const Schedule &schedule, int64_t lanes) const {
    if (!schedule.walksLanes)
      return std::min(lanes, isOneSweep ? lanesOfOneSweep : lanesOfSweeps);
    bool isLong = !schedule.reducesLanes && !schedule.tileExtent && lanes > 4 * unitElements;
    return isLong ? unitElements : lanes;
  }

  void fill(Schedule &schedule, ArrayRef<AccessGroup> all,
            const std::optional<AccessGroup> &tile) const {
    for (const AccessGroup &group : all)
      schedule.extents.push_back(group.extent);
    for (unsigned i = 0; i < groups.numAccesses(); ++i) {
      Access access;
      for (const AccessGroup &group : all)
        access.strides.push_back(group.strides[i]);
      if (tile)
        access.tileStride = tile->strides[i];
      if (i < numOperands)
        schedule.operands.push_back(access);
      else if (i < numBuffers)
        schedule.results.push_back(access);
      else
        schedule.counters[counted[i - numBuffers]] = access;
    }
  }

  const IterationSpace &space;
  ArrayRef<std::pair<Value, int64_t>> counted;
  AccessGroups groups;
  unsigned numOperands, numBuffers;
  bool isOneSweep; // a single reduction
};

} // namespace

Schedule Schedule::of(graph::ClusterOp cluster, const ClusterBuffers &buffers,
                      const IterationSpace &space, ArrayRef<std::pair<Value, int64_t>> counted) {
  return Scheduler(cluster, buffers, space, counted).run();
}

int64_t Schedule::numBlocks() const {
  if (reducesLanes)
    return 1;
  if (tileExtent)
    return llvm::divideCeil(tileExtent, tileBlock);
  return llvm::divideCeil(numLanes(), std::max<int64_t>(laneBlock, 1));
}

int64_t Schedule::numUnits() const {
  int64_t units = numBlocks();
  for (int64_t extent : unitExtents())
    units *= extent;
  return units;
}

int64_t Schedule::rowElements() const {
  int64_t elements = llvm::alignTo(laneBlock, stepLanes);
  for (int64_t extent : loopExtents())
    elements *= extent;
  return elements;
}
